package quire

// Actor is the user on whose behalf a Library call runs. It is the caller's word:
// the application has made sure who the user is, for example by
// [Library.Authenticate], and [User.Actor] makes the right one. An Actor without a user
// or tenant, or with an id that CreateUser refuses, is nobody: every call that takes an
// Actor refuses it with ErrUnauthenticated. The user need not have been created in the
// Library; of one who was not, its content shows the id only.
type Actor struct {
	UserID   string
	TenantID string // the tenant whose knowledge the user may search; often the user's own id
}

// Check returns ErrUnauthenticated if the actor is nobody.
func (a Actor) Check() error {
	if a.UserID == "" || a.TenantID == "" {
		return ErrUnauthenticated
	}
	var probs problems
	checkID(&probs, "user", a.UserID)
	checkID(&probs, "tenant", a.TenantID)
	if err := probs.err(); err != nil {
		return Errorf(CodeUnauthenticated, "nobody can have this id; of %s", probs[0].text()).WithCause(err)
	}
	return nil
}
