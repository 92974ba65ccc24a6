package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
)

const (
	barWidth   = 30
	barRedraw  = 50 * time.Millisecond
	clearLine  = "\r\x1b[K"
	plainSteps = 4 // lines that say how far it is where no bar can be drawn
)

// A progress shows how far some work is: as a bar on a terminal, else as a few
// lines. It is for one goroutine.
type progress struct {
	w        io.Writer
	terminal bool

	label string
	total int
	at    float64
	drawn time.Time // when the bar was drawn last
	lines int       // how many were written for this work
}

func newProgress(f *os.File) *progress {
	info, err := f.Stat()
	return &progress{w: f, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// start begins some work of total steps.
func (p *progress) start(label string, total int) {
	p.label, p.total, p.at, p.drawn, p.lines = label, total, 0, time.Time{}, 0
	p.set(0)
}

// step says that one more step is done.
func (p *progress) step() { p.set(math.Floor(p.at) + 1) }

// set says how many steps are done; a started one counts in part.
func (p *progress) set(done float64) {
	p.at = done
	if p.total == 0 {
		return
	}
	if p.terminal {
		p.draw()
		return
	}
	if part := done / float64(p.total); part*plainSteps >= float64(p.lines) {
		fmt.Fprintf(p.w, "%s: %d of %d\n", p.label, int(done), p.total)
		p.lines = int(part*plainSteps) + 1
	}
}

func (p *progress) draw() {
	if finished := p.at >= float64(p.total); !finished && time.Since(p.drawn) < barRedraw {
		return
	}
	p.drawn = time.Now()
	part := min(1, p.at/float64(p.total))
	full := int(part * barWidth)
	fmt.Fprintf(p.w, "%s%s [%s%s] %3d%%  %d/%d", clearLine, p.label,
		strings.Repeat("#", full), strings.Repeat("-", barWidth-full), int(part*100), int(p.at), p.total)
}

// finish takes the bar away.
func (p *progress) finish() {
	if p.terminal && p.total > 0 {
		fmt.Fprint(p.w, clearLine)
	}
	p.total = 0
}

// printf writes a line between the work.
func (p *progress) printf(format string, args ...any) {
	if p.terminal {
		fmt.Fprint(p.w, clearLine)
	}
	fmt.Fprintf(p.w, format+"\n", args...)
	p.drawn = time.Time{}
}
