from surefoot.report.html import Html, join, tag, text


def test_everything_is_escaped_unless_it_is_html():
    assert tag("p", "<b>", Html("<i></i>"), class_='"x"') == '<p class="&quot;x&quot;">&lt;b&gt;<i></i></p>'
    assert join(["a & b", Html("<br>"), 3], ", ") == "a &amp; b, <br>, 3"
    assert text("it's") == "it&#x27;s"


def test_what_comes_out_is_html_and_not_escaped_again():
    inner = tag("b", "<")
    assert isinstance(inner, Html)
    assert tag("p", inner) == "<p><b>&lt;</b></p>"


def test_attributes():
    assert tag("div", aria_label="a", hidden=True, title=None) == '<div aria-label="a" hidden></div>'
    assert tag("img", src="data:,", alt="") == '<img src="data:," alt="">'
    assert tag("meta", name="viewport") == '<meta name="viewport">'


def test_no_child():
    assert tag("p", None, "a", None) == "<p>a</p>"


def test_characters_that_no_page_may_hold():
    assert text("a\x00b\x1b\ud800c\td\n") == "a\ufffdb\ufffd\ufffdc\td\n"
    assert text("é ≤ 字").encode() == "é ≤ 字".encode()
