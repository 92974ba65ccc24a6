//go:build !purego

#include "textflag.h"

// ROW adds to SUM the products of 32 codes of the row at R with those of the query, which
// are in Y8: pairs of products become words, pairs of these, times one, sums of 32 bits.
#define ROW(R, SUM) \
	VMOVDQU    (R)(AX*1), Y4 \
	VPMADDUBSW Y8, Y4, Y4    \
	VPMADDWD   Y9, Y4, Y4    \
	VPADDD     Y4, SUM, SUM

// ADDRESS sets R to where the row begins whose slot is number I of the group.
#define ADDRESS(I, R) \
	MOVWQZX (2*I)(SI), R \
	IMULQ   R8, R        \
	ADDQ    DI, R

// ADDRESSES sets four registers to where the rows of the group of slots at SI begin.
#define ADDRESSES \
	ADDRESS(0, BX)  \
	ADDRESS(1, CX)  \
	ADDRESS(2, R14) \
	ADDRESS(3, R15)

// TAKE takes over the addresses of a group.
#define TAKE \
	MOVQ BX, R10  \
	MOVQ CX, R11  \
	MOVQ R14, R12 \
	MOVQ R15, R13

#define ZERO \
	VPXOR Y0, Y0, Y0 \
	VPXOR Y1, Y1, Y1 \
	VPXOR Y2, Y2, Y2 \
	VPXOR Y3, Y3, Y3 \
	XORQ  AX, AX

// STEP adds the products of 32 codes of the group, and fetches those of the next.
#define STEP \
	PREFETCHT0 (BX)(AX*1)   \
	PREFETCHT0 (CX)(AX*1)   \
	PREFETCHT0 (R14)(AX*1)  \
	PREFETCHT0 (R15)(AX*1)  \
	VMOVDQU    (DX)(AX*1), Y8 \
	ROW(R10, Y0)            \
	ROW(R11, Y1)            \
	ROW(R12, Y2)            \
	ROW(R13, Y3)            \
	ADDQ       $32, AX

// FINISH writes the four sums to R9: of each half, those of the four rows beside each other;
// then of both.
#define FINISH \
	VPHADDD      Y1, Y0, Y0 \
	VPHADDD      Y3, Y2, Y2 \
	VPHADDD      Y2, Y0, Y0 \
	VEXTRACTI128 $1, Y0, X1 \
	VPADDD       X1, X0, X0 \
	VMOVDQU      X0, (R9)   \
	ADDQ         $16, R9

// func dotCodesAVX2(codes *uint8, stride int, slots *uint16, count int, query *int8, dots *int32)
TEXT ·dotCodesAVX2(SB), NOSPLIT, $8-48
	MOVQ codes+0(FP), DI
	MOVQ stride+8(FP), R8
	MOVQ slots+16(FP), SI
	MOVQ count+24(FP), CX
	MOVQ query+32(FP), DX
	MOVQ dots+40(FP), R9
	LEAQ (SI)(CX*2), CX
	MOVQ CX, end-8(SP)

	// Sixteen words of one.
	VPCMPEQW Y9, Y9, Y9
	VPSRLW   $15, Y9, Y9

	ADDRESSES

group:
	TAKE

	// The rows of the next group, if there is one, are fetched meanwhile: scattered ones the
	// processor would not think of.
	ADDQ $8, SI
	CMPQ SI, end-8(SP)
	JGE  sums
	ADDRESSES

sums:
	ZERO

codes:
	STEP
	CMPQ AX, R8
	JLT  codes

	FINISH
	CMPQ SI, end-8(SP)
	JLT  group
	VZEROUPPER
	RET

// ROWS sets four registers to where the rows of the group at SI begin, which are slices.
#define ROWS \
	MOVQ (SI), BX    \
	MOVQ 24(SI), CX  \
	MOVQ 48(SI), R14 \
	MOVQ 72(SI), R15

// FETCH fetches the begin of all rows before the first is read, because they are scattered.
#define FETCH \
	MOVQ       SI, AX  \
fetch: \
	MOVQ       (AX), BX \
	PREFETCHT0 (BX)     \
	PREFETCHT0 64(BX)   \
	PREFETCHT0 128(BX)  \
	ADDQ       $24, AX  \
	CMPQ       AX, CX   \
	JLT        fetch

// func dotRowsAVX2(rows *[]uint8, count int, stride int, query *int8, dots *int32)
TEXT ·dotRowsAVX2(SB), NOSPLIT, $8-40
	MOVQ rows+0(FP), SI
	MOVQ count+8(FP), CX
	MOVQ stride+16(FP), R8
	MOVQ query+24(FP), DX
	MOVQ dots+32(FP), R9
	IMULQ $24, CX
	ADDQ SI, CX
	MOVQ CX, end-8(SP)

	VPCMPEQW Y9, Y9, Y9
	VPSRLW   $15, Y9, Y9

	FETCH

	ROWS

group:
	TAKE
	ADDQ $96, SI
	CMPQ SI, end-8(SP)
	JGE  sums
	ROWS

sums:
	ZERO

codes:
	STEP
	CMPQ AX, R8
	JLT  codes

	FINISH
	CMPQ SI, end-8(SP)
	JLT  group
	VZEROUPPER
	RET

// ROW64 adds to SUM the products of 64 codes of the row at R with those of the query, which
// are in Z8, four to each sum of 32 bits.
#define ROW64(R, SUM) \
	VMOVDQU64 (R)(AX*1), Z4 \
	VPDPBUSD  Z8, Z4, SUM

// STEP64 is STEP for 64 codes.
#define STEP64 \
	PREFETCHT0 (BX)(AX*1)     \
	PREFETCHT0 (CX)(AX*1)     \
	PREFETCHT0 (R14)(AX*1)    \
	PREFETCHT0 (R15)(AX*1)    \
	VMOVDQU64  (DX)(AX*1), Z8 \
	ROW64(R10, Z0)            \
	ROW64(R11, Z1)            \
	ROW64(R12, Z2)            \
	ROW64(R13, Z3)            \
	ADDQ       $64, AX

// HALF adds the upper half of a register to the lower.
#define HALF(Z, Y) \
	VEXTRACTI64X4 $1, Z, Y4 \
	VPADDD        Y4, Y, Y

#define HALVES \
	HALF(Z0, Y0) \
	HALF(Z1, Y1) \
	HALF(Z2, Y2) \
	HALF(Z3, Y3)

// WHOLE64 notes how many codes of a row are taken 64 at a time.
#define WHOLE64 \
	MOVQ R8, AX   \
	ANDQ $~63, AX \
	MOVQ AX, whole-16(SP)

// SUMS64 sums up a group: 64 codes at a time, then the last 32 if their number is odd.
#define SUMS64 \
	ZERO                  \
	CMPQ AX, whole-16(SP) \
	JGE  last             \
codes: \
	STEP64                \
	CMPQ AX, whole-16(SP) \
	JLT  codes            \
	HALVES                \
last: \
	CMPQ AX, R8           \
	JGE  done             \
	STEP                  \
done: \
	FINISH

// func dotCodesVNNI(codes *uint8, stride int, slots *uint16, count int, query *int8, dots *int32)
TEXT ·dotCodesVNNI(SB), NOSPLIT, $16-48
	MOVQ codes+0(FP), DI
	MOVQ stride+8(FP), R8
	MOVQ slots+16(FP), SI
	MOVQ count+24(FP), CX
	MOVQ query+32(FP), DX
	MOVQ dots+40(FP), R9
	LEAQ (SI)(CX*2), CX
	MOVQ CX, end-8(SP)
	WHOLE64

	// Sixteen words of one, for the last 32 codes of an odd number of these.
	VPCMPEQW Y9, Y9, Y9
	VPSRLW   $15, Y9, Y9

	ADDRESSES

group:
	TAKE
	ADDQ $8, SI
	CMPQ SI, end-8(SP)
	JGE  sums
	ADDRESSES

sums:
	SUMS64
	CMPQ SI, end-8(SP)
	JLT  group
	VZEROUPPER
	RET

// func dotRowsVNNI(rows *[]uint8, count int, stride int, query *int8, dots *int32)
TEXT ·dotRowsVNNI(SB), NOSPLIT, $16-40
	MOVQ rows+0(FP), SI
	MOVQ count+8(FP), CX
	MOVQ stride+16(FP), R8
	MOVQ query+24(FP), DX
	MOVQ dots+32(FP), R9
	IMULQ $24, CX
	ADDQ SI, CX
	MOVQ CX, end-8(SP)
	WHOLE64

	VPCMPEQW Y9, Y9, Y9
	VPSRLW   $15, Y9, Y9

	FETCH

	ROWS

group:
	TAKE
	ADDQ $96, SI
	CMPQ SI, end-8(SP)
	JGE  sums
	ROWS

sums:
	SUMS64
	CMPQ SI, end-8(SP)
	JLT  group
	VZEROUPPER
	RET

// func halveAVX2(codes *int8, from *uint8, n int) int64
TEXT ·halveAVX2(SB), NOSPLIT, $0-32
	MOVQ codes+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

	// Bytes of 128: of ones, the highest bit of words, packed.
	VPCMPEQW  Y4, Y4, Y4
	VPSLLW    $7, Y4, Y4
	VPACKSSWB Y4, Y4, Y4

halves:
	VMOVDQU (SI), Y0
	VPAVGB  Y4, Y0, Y0
	VPSADBW Y2, Y0, Y1
	VPADDQ  Y1, Y3, Y3
	VPXOR   Y4, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $32, CX
	JNZ     halves

	VEXTRACTI128 $1, Y3, X1
	VPADDQ       X1, X3, X3
	VPSHUFD      $0x4e, X3, X1
	VPADDQ       X1, X3, X3
	VMOVQ        X3, ret+24(FP)
	VZEROUPPER
	RET

// func dotLanesAVX2(a, b *float32, n int) float64
TEXT ·dotLanesAVX2(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3

floats:
	VCVTPS2PD   (SI), Y4
	VCVTPS2PD   (DI), Y5
	VFMADD231PD Y4, Y5, Y0
	VCVTPS2PD   16(SI), Y6
	VCVTPS2PD   16(DI), Y7
	VFMADD231PD Y6, Y7, Y1
	VCVTPS2PD   32(SI), Y8
	VCVTPS2PD   32(DI), Y9
	VFMADD231PD Y8, Y9, Y2
	VCVTPS2PD   48(SI), Y10
	VCVTPS2PD   48(DI), Y11
	VFMADD231PD Y10, Y11, Y3
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $16, CX
	JNZ         floats

	// Lanes i, i+4, i+8 and i+12, then 0 with 2 and 1 with 3, then both.
	VADDPD       Y1, Y0, Y0
	VADDPD       Y3, Y2, Y2
	VADDPD       Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0
	VPERMILPD    $1, X0, X1
	VADDSD       X1, X0, X0
	VMOVSD       X0, ret+24(FP)
	VZEROUPPER
	RET

// func fetchLinks(list *atomic.Uint32)
TEXT ·fetchLinks(SB), NOSPLIT, $0-8
	MOVQ       list+0(FP), AX
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	RET
