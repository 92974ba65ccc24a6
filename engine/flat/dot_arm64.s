//go:build !purego

#include "textflag.h"

// Instructions that Go's assembler has no name for. Their registers are given by number: d
// is written, n and m are read.

// smull vd.8h, vn.8b, vm.8b
#define SMULL8(d, n, m) WORD $(0x0e20c000 | m<<16 | n<<5 | d)

// smlal2 vd.8h, vn.16b, vm.16b
#define SMLAL2(d, n, m) WORD $(0x4e208000 | m<<16 | n<<5 | d)

// saddlp vd.8h, vn.16b
#define SADDLP(d, n) WORD $(0x4e202800 | n<<5 | d)

// sadalp vd.4s, vn.8h
#define SADALP(d, n) WORD $(0x4e606800 | n<<5 | d)

// sdot vd.4s, vn.16b, vm.16b
#define SDOT(d, n, m) WORD $(0x4e809400 | m<<16 | n<<5 | d)

// urhadd vd.16b, vn.16b, vm.16b
#define URHADD(d, n, m) WORD $(0x6e201400 | m<<16 | n<<5 | d)

// fcvtl vd.2d, vn.2s
#define FCVTL(d, n) WORD $(0x0e617800 | n<<5 | d)

// fcvtl2 vd.2d, vn.4s
#define FCVTL2(d, n) WORD $(0x4e617800 | n<<5 | d)

// fadd vd.2d, vn.2d, vm.2d
#define FADD2(d, n, m) WORD $(0x4e60d400 | m<<16 | n<<5 | d)

// faddp dd, vn.2d
#define FADDP(d, n) WORD $(0x7e70d800 | n<<5 | d)

// prfm pldl1keep, [xn, xm]
#define FETCH(n, m) WORD $(0xf8a06800 | m<<16 | n<<5)

// The products are those of bytes with a sign: with its highest bit turned, a code of a row
// is less by 128, codeZero, which the kernels make up for with 128 times the sum of the query.

// OFFSET sets V16 to 128 times four sums of the query at R4, which has R1 codes: what the sums
// of each row begin with. They wrap around as those in plain Go do, and fit 32 bits as those
// do (maxDimension). It sets V31 to what turns the highest bits of codes.
#define OFFSET \
	VMOVI $128, V31.B16      \
	VEOR  V16.B16, V16.B16, V16.B16 \
	MOVD  R4, R6             \
	MOVD  R1, R7             \
offset:                      \
	VLD1.P 32(R6), [V8.B16, V9.B16] \
	SADDLP(8, 8)             \
	SADDLP(9, 9)             \
	SADALP(16, 8)            \
	SADALP(16, 9)            \
	SUBS  $32, R7            \
	BNE   offset             \
	VSHL  $7, V16.S4, V16.S4

// TAKE takes over the addresses of a group.
#define TAKE \
	MOVD R12, R8  \
	MOVD R13, R9  \
	MOVD R14, R10 \
	MOVD R15, R11

// BEGIN begins the sums of a group, at the first of its codes and of the query's.
#define BEGIN \
	VMOV V16.B16, V0.B16 \
	VMOV V16.B16, V1.B16 \
	VMOV V16.B16, V2.B16 \
	VMOV V16.B16, V3.B16 \
	MOVD R4, R6          \
	MOVD $0, R7

// STEP fetches 32 codes of each row of the next group, and reads those of the query.
#define STEP \
	FETCH(12, 7) \
	FETCH(13, 7) \
	FETCH(14, 7) \
	FETCH(15, 7) \
	ADD    $32, R7 \
	VLD1.P 32(R6), [V8.B16, V9.B16]

// CODES reads 32 codes of the row at R, and gives them a sign.
#define CODES(R) \
	VLD1.P 32(R), [V20.B16, V21.B16] \
	VEOR   V31.B16, V20.B16, V20.B16 \
	VEOR   V31.B16, V21.B16, V21.B16

// ROW adds the products of 32 codes of the row at R with those of the query to the sums of
// number sum: two products become a word, pairs of words are added to sums of 32 bits.
//
// No word overflows: codes of rows go from -128 to 127 and those of queries from -64 to 64
// (maxQueryCode), so that two products are at most 2*128*64 = 16,384. Four could be 32,768,
// which is one too many.
#define ROW(R, sum) \
	CODES(R)           \
	SMULL8(22, 20, 8)  \
	SMULL8(23, 21, 9)  \
	SMLAL2(22, 20, 8)  \
	SMLAL2(23, 21, 9)  \
	SADALP(sum, 22)    \
	SADALP(sum, 23)

// ROWSDOT does the same where the processor has SDOT, which adds four products to 32 bits.
#define ROWSDOT(R, sum) \
	CODES(R)         \
	SDOT(sum, 20, 8) \
	SDOT(sum, 21, 9)

// FINISH writes the sums to R5: of each row, those of its four lanes.
#define FINISH \
	VADDP  V1.S4, V0.S4, V0.S4 \
	VADDP  V3.S4, V2.S4, V2.S4 \
	VADDP  V2.S4, V0.S4, V0.S4 \
	VST1.P [V0.S4], 16(R5)

// SUMS takes the rows at R8 to R11, with SDOT if R19 is not 0.
#define SUMS \
	BEGIN          \
	CBNZ R19, sdot \
codes:             \
	STEP           \
	ROW(R8, 0)     \
	ROW(R9, 1)     \
	ROW(R10, 2)    \
	ROW(R11, 3)    \
	CMP  R1, R7    \
	BLT  codes     \
	B    finish    \
sdot:              \
	STEP           \
	ROWSDOT(R8, 0) \
	ROWSDOT(R9, 1) \
	ROWSDOT(R10, 2) \
	ROWSDOT(R11, 3) \
	CMP  R1, R7    \
	BLT  sdot      \
finish:            \
	FINISH

// ADDRESS sets R to where the row begins whose slot is number I of the group.
#define ADDRESS(I, R) \
	MOVHU (2*I)(R2), R20 \
	MADD  R1, R0, R20, R

// ADDRESSES sets four registers to where the rows of the group of slots at R2 begin.
#define ADDRESSES \
	ADDRESS(0, R12) \
	ADDRESS(1, R13) \
	ADDRESS(2, R14) \
	ADDRESS(3, R15)

// func dotCodesNEON(codes *uint8, stride int, slots *uint16, count int, query *int8, dots *int32, sdot bool)
TEXT ·dotCodesNEON(SB), NOSPLIT, $0-49
	MOVD  codes+0(FP), R0
	MOVD  stride+8(FP), R1
	MOVD  slots+16(FP), R2
	MOVD  count+24(FP), R3
	MOVD  query+32(FP), R4
	MOVD  dots+40(FP), R5
	MOVBU sdot+48(FP), R19
	ADD   R3<<1, R2, R3 // where the slots end

	OFFSET
	ADDRESSES

group:
	TAKE

	// The rows of the next group, if there is one, are fetched meanwhile.
	ADD $8, R2
	CMP R3, R2
	BHS sums
	ADDRESSES

sums:
	SUMS
	CMP R3, R2
	BLO group
	RET

// ROWS sets four registers to where the rows of the group at R2 begin, which are slices.
#define ROWS \
	MOVD (R2), R12   \
	MOVD 24(R2), R13 \
	MOVD 48(R2), R14 \
	MOVD 72(R2), R15

// func dotRowsNEON(rows *[]uint8, count int, stride int, query *int8, dots *int32, sdot bool)
TEXT ·dotRowsNEON(SB), NOSPLIT, $0-41
	MOVD  rows+0(FP), R2
	MOVD  count+8(FP), R3
	MOVD  stride+16(FP), R1
	MOVD  query+24(FP), R4
	MOVD  dots+32(FP), R5
	MOVBU sdot+40(FP), R19
	ADD   R3<<1, R3, R3
	ADD   R3<<3, R2, R3 // where the slices end, of 24 bytes each

	// The rows are scattered: the begin of all is fetched before the first is read.
	MOVD R2, R6

fetch:
	MOVD.P 24(R6), R20
	PRFM   (R20), PLDL1KEEP
	PRFM   64(R20), PLDL1KEEP
	PRFM   128(R20), PLDL1KEEP
	CMP    R3, R6
	BLO    fetch

	OFFSET
	ROWS

group:
	TAKE
	ADD $96, R2
	CMP R3, R2
	BHS sums
	ROWS

sums:
	SUMS
	CMP R3, R2
	BLO group
	RET

// func halveNEON(codes *int8, from *uint8, n int) int32
TEXT ·halveNEON(SB), NOSPLIT, $0-28
	MOVD  codes+0(FP), R0
	MOVD  from+8(FP), R1
	MOVD  n+16(FP), R2
	VMOVI $128, V31.B16
	VEOR  V0.B16, V0.B16, V0.B16

	// The mean with 128, rounded up, is half of a code, still greater by 128.
halves:
	VLD1.P 32(R1), [V1.B16, V2.B16]
	URHADD(1, 1, 31)
	URHADD(2, 2, 31)
	VEOR   V31.B16, V1.B16, V1.B16
	VEOR   V31.B16, V2.B16, V2.B16
	VST1.P [V1.B16, V2.B16], 32(R0)
	SADDLP(3, 1)
	SADDLP(4, 2)
	SADALP(0, 3)
	SADALP(0, 4)
	SUBS   $32, R2
	BNE    halves

	VADDV V0.S4, V0
	FMOVS F0, ret+24(FP)
	RET

// FOUR adds the products of four numbers to the sums S and T, of two each.
#define FOUR(S, T) \
	VLD1.P 16(R0), [V16.S4] \
	VLD1.P 16(R1), [V17.S4] \
	FCVTL(18, 16)           \
	FCVTL(19, 17)           \
	FCVTL2(20, 16)          \
	FCVTL2(21, 17)          \
	VFMLA  V18.D2, V19.D2, S.D2 \
	VFMLA  V20.D2, V21.D2, T.D2

// func dotLanesNEON(a, b *float32, n int) float64
TEXT ·dotLanesNEON(SB), NOSPLIT, $0-32
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16

floats:
	FOUR(V0, V1)
	FOUR(V2, V3)
	FOUR(V4, V5)
	FOUR(V6, V7)
	SUBS $16, R2
	BNE  floats

	// Lanes i, i+4, i+8 and i+12, then 0 with 2 and 1 with 3, then both.
	FADD2(0, 0, 2)
	FADD2(1, 1, 3)
	FADD2(4, 4, 6)
	FADD2(5, 5, 7)
	FADD2(0, 0, 4)
	FADD2(1, 1, 5)
	FADD2(0, 0, 1)
	FADDP(0, 0)
	FMOVD F0, ret+24(FP)
	RET

// func fetchLinks(list *atomic.Uint32)
TEXT ·fetchLinks(SB), NOSPLIT, $0-8
	MOVD list+0(FP), R0
	PRFM (R0), PLDL1KEEP
	PRFM 64(R0), PLDL1KEEP
	RET
