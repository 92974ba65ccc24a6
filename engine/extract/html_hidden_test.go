package extract

import "testing"

// What a reader sees is text, and what he does not see is none.
func TestHidden(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"<p style=display:none>no</p>one": "one",
		"<p style='color: red; DISPLAY : None !important ; margin:0'>no</p><p style='visibility:hidden'>no</p>one":           "one",
		"<p style='display: none; display: block'>one</p><p style='displays:none'>two</p><p style='content: \"none\"'>three": "one\n\ntwo\n\nthree",
		"<p style='visibility:visible'>one</p><p style='display:inline'>two</p><p style>three":                               "one\n\ntwo\n\nthree",
		"<p>one <b style=display:none>no</b><font style=visibility:hidden>no<p>no</font>two":                                 "one\n\ntwo",
		"<p>one <span style=display:none><b>no</b></span><a href=http://a style=display:none>no</a>two":                      "one two",
		"<math><mi>x</mi><mrow style=display:none><mi>no</mi></mrow></math><img alt=no style=display:none>one":               "xone",
		"<table><tr><td>a<td style=display:none>no<td>b<tr style=visibility:collapse><td>no</table>":                         "| a | b |\n|---|---|",
		"<html style=visibility:hidden><body style=display:none>one":                                                         "one",
		"<body hidden><p>no": "",
		"<p hidden=until-found>one<p hidden=until-found style=display:none>no": "one",

		"<h3><button>one</button></h3>two<button>no</button>":                                                    "### one\n\ntwo",
		"<h2 class=a><b><button type=button><span>one</span> <svg><path/></svg></button></b></h2><div>two</div>": "## **one**\n\ntwo",
		"<h3><button hidden>no</button>1. <button><span hidden>no</span>two</button> +</h3>":                     "### 1. two +",
		"<h2>one <span><button>no</button></span></h2><h2><button>no</button><a href=http://a>two</a></h2>":      "## one\n\n## [two](http://a)",
		"<details><summary><h3><button>one</button></h3><button>no</button></summary>two</details>":              "### one\n\ntwo",
		"<details><summary>one<button>no</button></summary>two</details>":                                        "one\n\ntwo",
		"<details><summary><button>one</button></summary>two</details>":                                          "one\n\ntwo",
		"<dl><dt><button>one</button><dd>two<button>no</button></dl>":                                            "**one**\n\ntwo",
		"<h2>a<summary>b</summary>c</h2><code><summary>d</summary>e</code><pre><summary>f</summary>g</pre>":      "## a b c\n\n`d`\n\n`e`\n\n```\nf\ng\n```",

		"<my-card><template shadowrootmode=open><style>no</style><p>one <b>two</b></p></template></my-card>":                    "one **two**",
		"<div><template shadowrootmode=CLOSED><ul><li>one</ul></template>two</div>":                                             "- one\n\ntwo",
		"<template>no</template><template shadowrootmode=no>no</template><template shadowrootmode=open hidden>no</template>one": "one",
		"<template><template shadowrootmode=open>no</template></template>one":                                                   "one",

		"<h2>one<a aria-hidden=true href=http://x#y>#</a></h2><h2><a href=#x aria-hidden=true>¶</a>two</h2>": "## one\n\n## two",
		"<p>one<span aria-hidden=true>•</span>two <i aria-hidden=True>★</i>":                                 "one two",
		"<p><span aria-hidden=true>one</span> <b aria-hidden=true>2</b> <i aria-hidden=false>*</i>":          "one **2** *\\**",
		"<table><tr><td aria-hidden=true>*<td>a</table><code aria-hidden=true>#</code>":                      "| \\* | a |\n|---|---|\n\n`#`",
		"<pre><span aria-hidden=true>$ </span>a</pre><code><span aria-hidden=true>#</span>b</code>":          "```\n$ a\n```\n\n`#b`",
	} {
		_, text, err := fromHTML(t.Context(), page)
		if err != nil || text != want {
			t.Errorf("%s: %q, %v, want %q", page, text, err, want)
		}
	}
}
