package extract

import "testing"

// A formula reads as it is shown: no parts of it are glued together.
func TestFormulas(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"<mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac><mn>5</mn><mroot><mn>2</mn><mn>3</mn></mroot>":                          "3 1/2 5 2^(1/3)",
		"<mo>-</mo><mfrac><mi>x</mi><mn>2</mn></mfrac><mi>y</mi><mfrac><mfrac><mn>1</mn><mn>2</mn></mfrac><mn>3</mn></mfrac>": "-x/2 y (1/2)/3",
		"<mfrac><mn>1</mn><mn>2</mn></mfrac>":                                                            "1/2",
		"<mfrac>\n <mrow> <mi>a</mi> <mo>+</mo>\n<mi>b</mi> </mrow>\n <mn>2</mn>\n</mfrac> <mi>c":        "(a+b)/2 c",
		"<mfrac><mrow><mn>1</mn></mrow><mrow><mi>x</mi><mi>y</mi></mrow></mfrac>":                        "1/(xy)",
		"<mfrac><mfrac><mn>1</mn><mn>2</mn></mfrac><mfrac><mn>3</mn><mn>4</mn></mfrac></mfrac>":          "(1/2)/(3/4)",
		"<mfrac><mtext>a b</mtext><mtext>c d e</mtext></mfrac>":                                          "(a b)/(c d e)",
		"<msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msup><mi>y</mi><mrow><mo>-</mo><mn>1</mn>":          "x^2+y^(-1)",
		"<msup><mi>x</mi><mn>2</mn></msup><mi>y</mi><msup><mi>x</mi><mn>10</mn></msup>":                  "x^2 yx^10",
		"<msup><mfrac><mi>a</mi><mi>b</mi></mfrac><mi>n</mi></msup>":                                     "(a/b)^n",
		"<msup><mi>e</mi><mfrac><mi>a</mi><mi>b</mi></mfrac></msup>":                                     "e^(a/b)",
		"<msup><mi>f</mi><mo>&prime;</mo></msup><mo>(</mo><mi>x</mi><mo>)</mo>":                          "f′(x)",
		"<msup><mrow/><mn>2</mn></msup><mi>x</mi>":                                                       "^2 x",
		"<msup><mi>x</mi><mrow/></msup><mi>y":                                                            "xy",
		"<msub><mi>x</mi><mi>i</mi></msub>":                                                              "x\\_i",
		"<msubsup><mi>x</mi><mrow><mi>i</mi><mi>j</mi></mrow><mn>2</mn></msubsup>":                       "x\\_(ij)^2",
		"<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i":  "∑\\_(i=1)^n i",
		"<munder><mo>lim</mo><mi>n</mi></munder><mover><mi>x</mi><mo>¯</mo></mover>":                     "lim\\_n x¯",
		"<msqrt><mi>x</mi></msqrt><msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>":                         "√x√(x+1)",
		"<msup><msqrt><mi>x</mi></msqrt><mn>2</mn></msup><mroot><mi>x</mi><mn>3</mn></mroot>":            "(√x)^2 x^(1/3)",
		"<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr> <mtr><mtd><mn>3</mn></mtd><mtd>4": "1 2; 3 4",
		"<mfrac><mi>a</mi><mi>b</mi><p>c</p></mfrac>":                                                    "a/b\n\nc",
		"<mfrac><mi>a</mi><mrow><mi>b</mi><mi>c</mi><p>d":                                                "a/(bc)\n\nd",
		"<mfrac hidden><mi>a</mi><mi>b</mi></mfrac><mfrac><mi hidden>a</mi><mi>b</mi></mfrac>":           "b",
		"<mfrac/><mi>a</mi><mfrac></mfrac><msqrt/><mi>b":                                                 "a√b",
		// What is beside a formula, and not shown.
		"<semantics><mi>x</mi><annotation encoding=application/x-tex>x^2 &lt; y</annotation></semantics>":              "x",
		"<semantics><mi>x</mi><annotation-xml encoding=MathML-Content><ci>no</ci></annotation-xml></semantics><mi>y":   "xy",
		"<semantics><mi>x</mi><annotation-xml encoding=text/html><p>no</p><b>no</b></annotation-xml></semantics><mi>y": "xy",
		"<mi>x</mi><mphantom><mi>no</mi></mphantom><mi>y":                                                              "xy",
	} {
		_, text, err := fromHTML(t.Context(), "<p><math>"+page+"</math>")
		if err != nil || text != want {
			t.Errorf("%s: %q, %v, want %q", page, text, err, want)
		}
	}
	for page, want := range map[string]string{
		"<p>a<math><mfrac><mrow><mi>b</mi><mi>c":                                                           "a (bc)",
		"<p><b>a</b><p>b<b> <math><mfrac><mrow><mn>1</mn><mn>2</mn></mrow><mn>3</mn></mfrac></math> c</b>": "**a**\n\nb **(12)/3 c**",
		"<b hidden><math><msqrt><mi>no</mi><mi>no</mi></msqrt></math></b>a":                                "a",
		"<p>a<math><msup><mi>x</mi><mn>2</mn></msup></math><math><mi>y</mi></math> &am<math><mi>p;":        "ax^2y &amp;",
	} {
		_, text, err := fromHTML(t.Context(), page)
		if err != nil || text != want {
			t.Errorf("%s: %q, %v, want %q", page, text, err, want)
		}
	}
}
