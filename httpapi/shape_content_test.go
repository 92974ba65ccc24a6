package httpapi

import "github.com/quirelib/quire"

// filledElemental creates an elemental and a list of it in which no field is empty.
func (c *contract) filledElemental() (id, list string) {
	f := c.fixture
	other := c.list(c.ann, "Another list")
	tag := f.do(f.ann.key, "POST", "/v1/user/tag", `{"title":"Sailing","color":"#fff","elementalTypeId":1,"description":"Boats"}`).want(201).str("response.id")
	id = f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"All the fields","type_id":1,"category_id":1,"template":"# Head\n\n#word and #[a name]",`+c.filled(tag, other)).want(201).str("response.id")
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+id, `{"title":"All the fields again","visibility":1}`).want(200)
	list = f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"All","item_ids":[{"prompt_id":"`+id+`"}],`+c.filled(tag, other)).want(201).str("response.id")
	f.do(f.ann.key, "PUT", "/v1/user/list/"+list, `{"title":"All again"}`).want(200)
	number, _ := parseNumericID(list)
	for _, subject := range []quire.Subject{{ElementalID: id}, {ListID: number}} {
		c.engage(subject)
	}
	ctx, bob := f.t.Context(), f.bob.Actor()
	comment, err := f.lib.Comment(ctx, bob, id, "How about wind?")
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.lib.Reply(ctx, f.ann.Actor(), id, comment.ID, "It helps."); err != nil {
		f.t.Fatal(err)
	}
	return id, list
}

// engage does as Bob all that is counted of a subject.
func (c *contract) engage(subject quire.Subject) {
	ctx, bob := c.t.Context(), c.bob.Actor()
	_, err1 := c.lib.Use(ctx, bob, subject)
	_, err2 := c.lib.Sell(ctx, bob, subject)
	_, err3 := c.lib.Upvote(ctx, bob, subject, true)
	_, err4 := c.lib.Save(ctx, bob, subject, true)
	err5 := c.lib.Favorite(ctx, bob, subject, true)
	_, err6 := c.lib.Rate(ctx, bob, subject, 4, "Good")
	for _, err := range []error{err1, err2, err3, err4, err5, err6} {
		if err != nil {
			c.t.Fatal(err)
		}
	}
}
