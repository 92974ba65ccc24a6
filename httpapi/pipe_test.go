package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
)

// pipes is a network in memory, for servers in the time of a synctest bubble: what a busy
// machine takes for a write or a handshake does not count against their deadlines.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipeServer is a server on pipes, not started, and what starts it, over HTTP/2 if asked to.
func pipeServer(h http.Handler, http2 bool) (*httptest.Server, func()) {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	srv := &httptest.Server{Listener: p, Config: &http.Server{Handler: h}, EnableHTTP2: http2}
	return srv, func() {
		if http2 {
			srv.StartTLS()
		} else {
			srv.Start()
		}
		srv.Client().Transport.(*http.Transport).DialContext = p.dial
	}
}
