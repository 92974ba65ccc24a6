module github.com/quirelib/quire/engine/static/train

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/quirelib/quire v0.0.0-00010101000000-000000000000
)

require (
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/quirelib/quire => ../../..
