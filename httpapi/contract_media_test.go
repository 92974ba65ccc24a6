package httpapi

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// picture is a file of a payload, a PNG of 2 x 1 pixels. It is not compressed, so that its
// bytes do not depend on the version of Go.
func (c *contract) picture() string {
	c.t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, img); err != nil {
		c.t.Fatal(err)
	}
	return upload("pixels.png", b.Bytes())
}

// withMedia creates an elemental that has one file of each kind.
func (c *contract) withMedia() answer {
	c.t.Helper()
	pic := c.picture()
	body := with(c.t, goodElemental, rule{"images", "[" + pic + "]"})
	body = with(c.t, with(c.t, body, rule{"cover_images", "[" + pic + "]"}), rule{"avatar", pic})
	return c.do(c.ann.key, "POST", "/v1/user/elemental", with(c.t, body, rule{"files", "[" + pic + `,{"file_name":"notes.txt","file_buffer":[104,105]}]`})).want(201)
}

// bytesOf sends what one may ask of the bytes of a file.
func (c *contract) bytesOf(path string) {
	tag := c.send(200, "the bytes", path, "").header.Get("ETag")
	c.sendAs(c.bob, 200, "another user's", path, "")
	c.send(206, "a range", path, "", "Range", "bytes=1-1")
	c.send(304, "what the client has", path, "", "If-None-Match", tag)
	c.send(416, "a range outside of the file", path, "", "Range", "bytes=99999-")
	c.send(412, "another file", path, "", "If-Match", `"other"`)
}

var mediaContracts = map[string]func(*contract){
	"GET /v1/image/{id}": func(c *contract) {
		a := c.withMedia()
		c.bytesOf(a.path("response.images.0.url"))
		c.send(200, "a cover image", a.path("response.cover_images.0.url"), "")
		c.send(200, "an avatar", a.path("response.avatar_image"), "")
		c.send(404, "a file that is no image of an elemental", "/v1/image/"+c.number(a, "response.files.0.id"), "")
	},
	"GET /v1/elemental/{id}/file/{file_id}": func(c *contract) {
		a := c.withMedia()
		c.files(a)
		c.send(404, "an image", "/v1/elemental/"+a.str("response.id")+"/file/"+c.number(a, "response.images.0.id"), "")
		c.send(404, "a file of another elemental", "/v1/elemental/"+c.elemental(c.ann, "Without any files", "")+"/file/"+c.number(a, "response.files.0.id"), "")
	},
	"GET /v1/list/{list_id}/file/{file_id}": func(c *contract) {
		a := c.do(c.ann.key, "POST", "/v1/user/list", `{"title":"x","files":[`+c.picture()+`,{"file_name":"notes.txt","file_buffer":[104,105]}]}`).want(201)
		c.files(a)
		c.send(404, "a file of another list", "/v1/list/"+c.list(c.ann, "Empty")+"/file/"+c.number(a, "response.files.0.id"), "")
	},
	"POST /v1/user/elemental/{id}/files": func(c *contract) {
		path, pic := "/v1/user/elemental/"+c.elemental(c.ann, "How to sail a boat", "")+"/files", c.picture()
		c.send(201, "one of each kind", path, `{"images":[`+pic+`],"cover_images":[`+pic+`],"avatar":`+pic+`,"files":[`+pic+`]}`)
		c.send(201, "the forms of file_buffer", path, `{"files":[{"file_buffer":[104,105]},{"file_name":"b","file_buffer":{"type":"Buffer","data":[104,105]}},{"file_name":"c","file_buffer":"aGk="}]}`)
		c.send(201, "four images", path, `{"images":[`+pic+","+pic+","+pic+","+pic+`]}`)
		five := "[" + pic + "," + pic + "," + pic + "," + pic + "," + pic + "]"
		c.refuses(path, `{}`, rule{"images", five}, rule{"cover_images", five}, rule{"files", fourFiles}, rule{"files", `5`}, rule{"files", `[null]`}, rule{"files", `[{}]`},
			rule{"files", `[{"file_buffer":5}]`}, rule{"files", `[{"file_buffer":[-1]}]`}, rule{"files", `[{"file_buffer":[1.5]}]`}, rule{"files", `[{"file_buffer":"*"}]`},
			rule{"files", `[{"file_buffer":{"data":"x"}}]`}, rule{"files", `[{"file_buffer":[]}]`}, rule{"images", `[{"file_buffer":[104,105]}]`}, rule{"avatar", `{"file_buffer":[104]}`})
		c.send(201, "nothing", path, `{}`)
		c.send(403, "another user's elemental", "/v1/user/elemental/"+c.elemental(c.bob, "Of another user", "")+"/files", `{"avatar":`+pic+`}`)
		c.once(path, `{"avatar":`+pic+`}`, `{"images":[`+pic+`]}`)
		for range 3 {
			c.do(c.ann.key, "POST", path, `{"files":[{"file_buffer":[1]},{"file_buffer":[2]},{"file_buffer":[3]}]}`).want(201)
		}
		c.send(400, "more than 15 files in all", path, `{"files":[{"file_buffer":[1]},{"file_buffer":[2]},{"file_buffer":[3]}]}`)
	},
	"DELETE /v1/user/elemental/{id}/files": func(c *contract) {
		a := c.withMedia()
		path := "/v1/user/elemental/" + a.str("response.id") + "/files"
		c.send(200, "an image", path, `{"images":[`+c.number(a, "response.images.0.id")+`]}`)
		c.send(200, "the others", path, `{"cover_images":[`+c.number(a, "response.cover_images.0.id")+`],"files":["`+c.number(a, "response.files.0.id")+`"],"avatar":true}`)
		c.send(200, "an id that is gone is no error", path, `{"images":[`+c.number(a, "response.images.0.id")+`]}`)
		c.refuses(path, `{}`, rule{"images", `5`}, rule{"images", `["x"]`}, rule{"cover_images", `[null]`}, rule{"files", `{}`}, rule{"files", `[0]`}, rule{"avatar", `1`})
		c.send(200, "nothing", path, `{}`)
		c.send(400, "a misspelled name", path, `{"file_ids":[1]}`)
		c.send(403, "another user's elemental", "/v1/user/elemental/"+c.elemental(c.bob, "Of another user", "")+"/files", `{"avatar":true}`)
	},
}

// files sends what one may ask of the files of an elemental or list, a picture and a text.
func (c *contract) files(a answer) {
	path := a.path("response.files.0.url")
	c.bytesOf(path)
	c.send(200, "a text is saved, not shown", a.path("response.files.1.url"), "")
	c.send(200, "as JSON", path, "", "Accept", "application/json")
	c.send(404, "an unknown file", path[:len(path)-len(c.number(a, "response.files.0.id"))]+"123456789", "")
}

// number is a number of an answer as it is written.
func (c *contract) number(a answer, at string) string {
	c.t.Helper()
	n, ok := a.at(at).(interface{ String() string })
	if !ok {
		c.t.Fatalf("%s is no number", at)
	}
	return n.String()
}
