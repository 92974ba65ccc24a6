package quire

// Actor is the user on whose behalf a Library call runs. It is the caller's word:
// the application has made sure who the user is, for example by
// [Library.Authenticate], and [User.Actor] makes the right one. An Actor without a user
// or tenant is nobody: every call that takes an Actor refuses it with
// ErrUnauthenticated.
type Actor struct {
	UserID   string
	TenantID string // the tenant whose knowledge the user may search; often the user's own id
}

func (a Actor) check() error {
	if a.UserID == "" || a.TenantID == "" {
		return ErrUnauthenticated
	}
	return nil
}
