/** Active content that was accepted by an earlier version of the gate, found by attacking it. Each entry must be refused. */

export interface Attack {
  name: string
  path: string
  /** Undefined: the file of the example site, if there is one. */
  before?: string
  after: string
}

export const attacks: readonly Attack[] = [
  {
    name: 'Sphinx: import of another module of a documented package',
    path: 'docs/sphinx/new.rst',
    after: '.. automodule:: example.deploy\n',
  },
  {
    name: 'Sphinx: import of a module by a function in it',
    path: 'docs/sphinx/new.rst',
    after: '.. autofunction:: example.deploy.main\n',
  },
  {
    name: 'Sphinx: import of the module of a method',
    path: 'docs/sphinx/new.rst',
    after: '.. currentmodule:: example.deploy\n\n.. automethod:: Client.send\n',
  },
  {
    name: 'Sphinx: another module for directives that are there',
    path: 'docs/sphinx/api.rst',
    after:
      'API\n===\n\n.. automodule:: example.core\n\n.. autofunction:: example.core.run\n\n.. currentmodule:: example.deploy\n\n.. automethod:: Client.send\n',
  },
  {
    name: 'VitePress: ---foo closes gray-matter',
    path: 'docs/vitepress/new.md',
    after: '---\ntitle: x\n---foo: |\n  {{ process.env }}\n---\n',
  },
  {
    name: 'Docusaurus: ---foo closes gray-matter',
    path: 'docs/docusaurus/docs/new.md',
    after: '---\ntitle: x\n---foo: |\n  {process.exit()}\n---\n',
  },
  {
    name: 'Starlight: ---foo',
    path: 'docs/starlight/src/content/docs/new.mdx',
    after: '---\ntitle: x\n---foo: |\n  {process.exit()}\n---\n',
  },
  {
    name: 'Hugo: ---foo shortcode',
    path: 'docs/hugo/content/new.md',
    after: '---\ntitle: x\n---foo: |\n  {{< readfile "/etc/passwd" >}}\n---\n',
  },
  {
    name: 'VitePress: unclosed front matter head',
    path: 'docs/vitepress/new.md',
    after: '---\nhead:\n  - - script\n    - src: https://evil.example/x.js\n',
  },
  {
    name: 'Starlight: leading newline front matter head',
    path: 'docs/starlight/src/content/docs/new.md',
    after: '\n---\ntitle: x\nhead:\n  - tag: script\n    content: alert(1)\n---\n',
  },
  {
    name: 'Hugo: leading newline front matter',
    path: 'docs/hugo/content/new.md',
    after: '\n---\ntitle: x\noutputs: [json]\n---\n',
  },
  {
    name: 'mdBook: include in front matter',
    path: 'docs/mdbook/src/new.md',
    after: '---\nx: |\n  {{#include /etc/passwd}}\n---\n',
  },
  {
    name: 'Sphinx: rst include in front matter',
    path: 'docs/sphinx/new.rst',
    after: '---\n\n.. include:: /etc/passwd\n\n---\n',
  },
  {
    name: 'Antora: adoc include in front matter',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '---\ninclude::/etc/passwd[]\n---\n',
  },
  {
    name: 'MkDocs: snippet in non-dict front matter',
    path: 'docs/mkdocs/docs/new.md',
    after: '---\n--8<-- "secret.txt"\n---\n',
  },
  {
    name: 'MkDocs with macros: macros in non-dict front matter',
    path: 'docs/macros/docs/new.md',
    after: '---\n"{{ environment }}"\n---\n',
  },
  {
    name: 'Unknown generator: mdbook include in front matter',
    path: 'docs/new.md',
    after: '---\nx: |\n  {{#include /etc/passwd}}\n---\n',
  },
  {
    name: 'Starlight: sidebar.attrs',
    path: 'docs/starlight/src/content/docs/new.md',
    after: '---\ntitle: x\nsidebar:\n  attrs:\n    onmouseover: alert(1)\n---\n',
  },
  {
    name: 'MkDocs: title yaml escape',
    path: 'docs/mkdocs/docs/new.md',
    after: '---\ntitle: "\\x3cimg src=x onerror=alert(1)\\x3e"\n---\n',
  },
  {
    name: 'Sphinx: myst fence_as_directive',
    path: 'docs/sphinx/new.md',
    after:
      '---\nmyst:\n  fence_as_directive: [raw, include]\n---\n\n```raw html\n<script>alert(1)</script>\n```\n\n```include ../../../../etc/passwd\n```\n',
  },
  {
    name: 'Hugo: markup html',
    path: 'docs/hugo/content/new.md',
    after: '---\ntitle: x\nmarkup: html\n---\n\n```\n<script>alert(1)</script>\n```\n',
  },
  {
    name: 'Docusaurus: mdx.format md + fence in div',
    path: 'docs/docusaurus/docs/new.md',
    after: '---\nmdx:\n  format: md\n---\n\n<div>\n```\n<script>alert(1)</script>\n```\n</div>\n',
  },
  {
    name: 'Docusaurus: table pipe',
    path: 'docs/docusaurus/docs/new.md',
    after: '| a | b | c |\n| - | - | - |\n| `x | {process.exit()} | y` |\n',
  },
  {
    name: 'VitePress: table pipe',
    path: 'docs/vitepress/new.md',
    after: '| a | b | c |\n| - | - | - |\n| `x | {{ process.env }} | y` |\n',
  },
  {
    name: 'Starlight: table pipe script',
    path: 'docs/starlight/src/content/docs/new.md',
    after: '---\ntitle: x\n---\n| a | b | c |\n| - | - | - |\n| `x | <img src=x onerror=alert(1)> | y` |\n',
  },
  {
    name: 'mdBook: table pipe',
    path: 'docs/mdbook/src/new.md',
    after: '| a | b | c |\n| - | - | - |\n| `x | <img src=x onerror=alert(1)> | y` |\n',
  },
  {
    name: 'VitePress: container interrupts code span',
    path: 'docs/vitepress/new.md',
    after: '`a\n::: tip\n{{ process.env }}\n:::\nb`\n',
  },
  {
    name: 'Docusaurus: admonition interrupts code span',
    path: 'docs/docusaurus/docs/new.md',
    after: '`a\n:::note\n{process.exit()}\n:::\nb`\n',
  },
  {
    name: 'Starlight: footnote indented',
    path: 'docs/starlight/src/content/docs/new.md',
    after: '---\ntitle: x\n---\n\nX[^1]\n\n[^1]: foo\n\n    <script>alert(1)</script>\n',
  },
  {
    name: 'mdBook: footnote indented',
    path: 'docs/mdbook/src/new.md',
    after: 'X[^1]\n\n[^1]: foo\n\n    <script>alert(1)</script>\n',
  },
  {
    name: 'mdBook: definition list',
    path: 'docs/mdbook/src/new.md',
    after: 'Term\n: text\n\n    <script>alert(1)</script>\n',
  },
  { name: 'Sphinx: myst note html', path: 'docs/sphinx/new.md', after: '```{note}\n<script>alert(1)</script>\n```\n' },
  {
    name: 'Unknown generator: myst note html',
    path: 'docs/new.md',
    after: '```{note}\n<script>alert(1)</script>\n```\n',
  },
  {
    name: 'Sphinx: myst image target javascript URL',
    path: 'docs/sphinx/new.md',
    after: '```{image} x.png\n:target: javascript:alert(1)\n```\n',
  },
  {
    name: 'MkDocs: code span in div',
    path: 'docs/mkdocs/docs/new.md',
    after: '<div>\n`<script>alert(1)</script>`\n</div>\n',
  },
  {
    name: 'MkDocs: fence in div',
    path: 'docs/mkdocs/docs/new.md',
    after: '<div>\n```\n<script>alert(1)</script>\n```\n</div>\n',
  },
  {
    name: 'Jekyll: fence in div',
    path: 'docs/jekyll/new.md',
    after: '---\n---\n<div>\n```\n<script>alert(1)</script>\n```\n</div>\n',
  },
  {
    name: 'Unknown generator: code span in div',
    path: 'docs/new.md',
    after: '<div>\n`<script>alert(1)</script>`\n</div>\n',
  },
  {
    name: 'MkDocs: comment backtick',
    path: 'docs/mkdocs/docs/new.md',
    after: '<!-- ` --><script>alert(1)</script><!-- ` -->\n',
  },
  {
    name: 'MkDocs: bad fence info',
    path: 'docs/mkdocs/docs/new.md',
    after: '``` js !\n\n<script>alert(1)</script>\n\n```\n',
  },
  {
    name: 'MkDocs: indented fence',
    path: 'docs/mkdocs/docs/new.md',
    after: '  ```\n\n<script>alert(1)</script>\n\n  ```\n',
  },
  {
    name: 'MkDocs: fence parity',
    path: 'docs/mkdocs/docs/new.md',
    after: '```\na\n````\n\ntext\n```\n\n<script>alert(1)</script>\n\n```\n',
  },
  { name: 'MkDocs: CR code span', path: 'docs/mkdocs/docs/new.md', after: '`a\r\r<script>alert(1)</script>\r\rb`\n' },
  {
    name: 'Unknown generator: img@ tag',
    path: 'docs/new.md',
    after: '<div>\n<x@ tabindex=1 autofocus onfocus=alert(1)>x</x@>\n</div>\n',
  },
  {
    name: 'Unknown generator: img:// tag',
    path: 'docs/new.md',
    after: '<div>\n<a:// tabindex=1 autofocus onfocus=alert(1)>x\n</div>\n',
  },
  {
    name: 'Unknown generator: stray quote',
    path: 'docs/new.md',
    after: '<div>\n<img a=b" c=">" src=x onerror=alert(1)>\n</div>\n',
  },
  {
    name: 'MkDocs: comment swallow iframe',
    path: 'docs/mkdocs/docs/new.md',
    after: '<!-- <a title=\' -->\n<iframe src="https://evil.example/"></iframe>\n<!-- \'> -->\n',
  },
  {
    name: 'Starlight: comment swallow closing onerror',
    path: 'docs/starlight/src/content/docs/new.md',
    after: "<!-- </a title=' -->\n<img src=x onerror=alert(1)>\n<!-- '> -->\n",
  },
  {
    name: 'Unknown generator: closing swallow',
    path: 'docs/new.md',
    after: '<div>\n</p " ><img src=x onerror=alert(1)> ">\n</div>\n',
  },
  {
    name: 'VitePress: comment swallow component',
    path: 'docs/vitepress/new.md',
    after: "<!-- <a title=' -->\n<Evil/>\n<!-- '> -->\n",
  },
  {
    name: 'Unknown generator: javascript URL: space',
    path: 'docs/new.md',
    after: '<a href="javascript: alert(1)">x</a>\n',
  },
  { name: 'Unknown generator: javascript URL: space md', path: 'docs/new.md', after: '[x](<javascript: alert(1)>)\n' },
  {
    name: 'Unknown generator: javascript URL newline x2',
    path: 'docs/new.md',
    after: '<a href="java&NewLine;&NewLine;script:alert(1)">x</a>\n',
  },
  {
    name: 'Jekyll: kramdown attribute list multiline',
    path: 'docs/jekyll/new.md',
    after: '---\n---\n*x*{: title="a"\nonclick="alert(1)"}\n',
  },
  {
    name: 'MkDocs: attr_list brace',
    path: 'docs/mkdocs/docs/new.md',
    after: '## T {: title="}" onclick="alert(1)" }\n',
  },
  {
    name: 'VitePress: v-bind:title',
    path: 'docs/vitepress/new.md',
    after: "<p v-bind:title=\"''.constructor.constructor('return process')().exit()\">x</p>\n",
  },
  {
    name: 'VitePress: v-on:click',
    path: 'docs/vitepress/new.md',
    after: "<p v-on:click=\"''.constructor.constructor('return process')().exit()\">x</p>\n",
  },
  {
    name: 'VitePress: .prop',
    path: 'docs/vitepress/new.md',
    after: "<p .title=\"''.constructor.constructor('return process')().exit()\">x</p>\n",
  },
  {
    name: 'VitePress: v-pre-x',
    path: 'docs/vitepress/new.md',
    after: "<p v-pre-x=\"''.constructor.constructor('return process')().exit()\">x</p>\n",
  },
  {
    name: 'VitePress: attrs :title',
    path: 'docs/vitepress/new.md',
    after: "## Title {:title=\"''.constructor.constructor('return process')().exit()\"}\n",
  },
  {
    name: 'VitePress: attrs v-html',
    path: 'docs/vitepress/new.md',
    after: "## Title {v-html=\"''.constructor.constructor('return process')().exit()\"}\n",
  },
  {
    name: 'VitePress: code group title',
    path: 'docs/vitepress/new.md',
    after:
      "::: code-group\n```js [<i :title=\"''.constructor.constructor('return process')().exit()\"></i>]\n1\n```\n:::\n",
  },
  {
    name: 'VitePress: include spaces',
    path: 'docs/vitepress/new.md',
    after: '<!-- @include: x y/../../../../../../../proc/self/environ -->\n',
  },
  {
    name: 'VitePress: snippet spaces',
    path: 'docs/vitepress/new.md',
    after: '<<< x y/../../../../../../../../etc/passwd\n',
  },
  {
    name: 'VitePress: include @/..',
    path: 'docs/vitepress/a/b/c/d/e/f/g/new.md',
    after: '<!-- @include: @/../../../../../../proc/self/environ -->\n',
  },
  {
    name: 'VitePress: snippet @/..',
    path: 'docs/vitepress/a/b/c/d/e/f/g/new.md',
    after: '<<< @/../../../../../../proc/self/environ\n',
  },
  { name: 'VitePress: snippet in ordered list', path: 'docs/vitepress/new.md', after: '1. <<< ../../../secret.txt\n' },
  { name: 'VitePress: vite asset ?url', path: 'docs/vitepress/new.md', after: '![x](../../.git/config?url)\n' },
  {
    name: 'Docusaurus: ~~~ comment blank',
    path: 'docs/docusaurus/docs/new.md',
    after: '## A {#id}\n\n~~~\n<!--\n~~~\n\n-->\n\n{process.exit()}\n\n~~~\n',
  },
  {
    name: 'Docusaurus: autolink backtick',
    path: 'docs/docusaurus/docs/new.md',
    after: '## A {#id}\n\n`<https://a`> {process.exit()} `b`\n',
  },
  {
    name: 'Docusaurus: ``` mdx-code-block space',
    path: 'docs/docusaurus/docs/new.md',
    after: '``` mdx-code-block\n{process.exit()}\n```\n',
  },
  {
    name: 'Docusaurus: mdx-code-block indentEnd differs',
    path: 'docs/docusaurus/docs/new.md',
    after: '```mdx-code-block\n{process.exit()}\n ```\n',
  },
  {
    name: 'Docusaurus: 5 backticks unwrap',
    path: 'docs/docusaurus/docs/new.md',
    after: '`````mdx-code-block\n```\n`````\n\n{process.exit()}\n\n```\nx\n```\n',
  },
  {
    name: 'Docusaurus: 5 backticks unwrap, variant',
    path: 'docs/docusaurus/docs/new.md',
    after: '`````mdx-code-block\n```js\n`````\n\n{process.exit()}\n\n```js\n1\n```\n',
  },
  {
    name: 'Starlight: href literal escape',
    path: 'docs/starlight/src/content/docs/new.mdx',
    after: '<a href={"java\\x73cript:alert(1)"}>x</a>\n',
  },
  {
    name: 'Starlight: mdx existing iframe new src',
    path: 'docs/starlight/src/content/docs/new.mdx',
    before: '<iframe src="https://www.youtube.com/embed/x"></iframe>\n',
    after: '<iframe src="https://evil.example/"></iframe>\n',
  },
  {
    name: 'Starlight: mdx existing script new src',
    path: 'docs/starlight/src/content/docs/new.mdx',
    before: '<script src="https://good.example/x.js"></script>\n',
    after: '<script src="https://evil.example/x.js"></script>\n',
  },
  { name: 'Docusaurus: @site/.env', path: 'docs/docusaurus/docs/new.md', after: '[x](@site/../../.git/config)\n' },
  {
    name: 'Docusaurus: gfm footnote/task',
    path: 'docs/docusaurus/docs/new.md',
    after: '[^1]: `a\n\n[^2]: {process.exit()} `b\n',
  },
  {
    name: 'MkDocs with macros: jinja escape vocabulary',
    path: 'docs/macros/docs/new.md',
    after: '{{ button("\\", "~lipsum.__globals__.os.popen(\'id\').read()~") }} text " ) }}\n',
  },
  {
    name: 'MkDocs with macros: jinja comment split',
    path: 'docs/macros/docs/new.md',
    after: '<scr{# x #}ipt>alert(1)</scr{# x #}ipt>\n',
  },
  {
    name: 'MkDocs with macros: jinja comment backtick',
    path: 'docs/macros/docs/new.md',
    after: '{# ` #}<script>alert(1)</script>{# ` #}\n',
  },
  {
    name: 'Jekyll: liquid comment split',
    path: 'docs/jekyll/new.md',
    after: '---\n---\n<scr{% comment %}{% endcomment %}ipt>alert(1)</scr{% comment %}{% endcomment %}ipt>\n',
  },
  {
    name: 'Jekyll: liquid empty string split',
    path: 'docs/jekyll/new.md',
    after: '---\n---\n<img src=x on{{ "" }}error=alert(1)>\n',
  },
  {
    name: 'Jekyll: liquid comment backtick',
    path: 'docs/jekyll/new.md',
    after: '---\n---\n{% comment %}`{% endcomment %}<script>alert(1)</script>{% comment %}`{% endcomment %}\n',
  },
  {
    name: 'Jekyll: kramdown comment backtick',
    path: 'docs/jekyll/new.md',
    after: '---\n---\n{::comment}`{:/}<script>alert(1)</script>{::comment}`{:/}\n',
  },
  { name: 'mdBook: title split', path: 'docs/mdbook/src/new.md', after: '<scr{{#title x}}ipt>alert(1)</script>\n' },
  {
    name: 'Hugo: shortcode inner in code',
    path: 'docs/hugo/content/new.md',
    after: '---\ntitle: x\n---\n`{{< note >}}<script>alert(1)</script>{{< /note >}}`\n',
  },
  {
    name: 'Hugo: .adoc shortcode',
    path: 'docs/hugo/content/new.adoc',
    after: '= X\n\n{{< readfile "/etc/passwd" >}}\n',
  },
  {
    name: 'Hugo: .rst html+shortcode',
    path: 'docs/hugo/content/new.rst',
    after: 'X\n\n<script>alert(1)</script>\n{{< readfile "/etc/passwd" >}}\n',
  },
  {
    name: 'Jekyll: .adoc liquid',
    path: 'docs/jekyll/new.adoc',
    after: '---\npermalink2: x\n---\n{{ site.data | jsonify }}{% include_relative secret.txt %}\n',
  },
  {
    name: 'Jekyll: .rst liquid + script',
    path: 'docs/jekyll/new.rst',
    after: '---\ntitle: x\n---\n<script>alert(1)</script>{{ site.github | jsonify }}\n',
  },
  {
    name: 'Jekyll: .mdx liquid in code',
    path: 'docs/jekyll/new.mdx',
    after: '---\ntitle: x\n---\n```\n{{ site.github | jsonify }}\n```\n',
  },
  {
    name: 'Jekyll: llms.txt',
    path: 'docs/jekyll/llms.txt',
    after: '---\npermalink: /x.html\n---\n<script>alert(1)</script>{{ site.github | jsonify }}\n',
  },
  {
    name: 'Jekyll: svg',
    path: 'docs/jekyll/x.svg',
    after: '---\npermalink: /x.html\n---\n<svg>{{ "%3Cscript%3Ealert(1)%3C/script%3E" | url_decode }}</svg>\n',
  },
  {
    name: 'mdBook: SUMMARY outside',
    path: 'docs/mdbook/src/SUMMARY.md',
    after: '# Summary\n\n- [Page](page.md)\n- [X](../../../.git/config)\n',
  },
  {
    name: 'Sphinx: grid table',
    path: 'docs/sphinx/new.rst',
    after: '+----------------------------+\n| .. include:: /etc/passwd   |\n+----------------------------+\n',
  },
  { name: 'Sphinx: note first line', path: 'docs/sphinx/new.rst', after: '.. note:: .. include:: /etc/passwd\n' },
  { name: 'Sphinx: a. list', path: 'docs/sphinx/new.rst', after: 'a. .. include:: /etc/passwd\n' },
  { name: 'Sphinx: #. list', path: 'docs/sphinx/new.rst', after: '#. .. include:: /etc/passwd\n' },
  { name: 'Sphinx: field', path: 'docs/sphinx/new.rst', after: ':x: .. include:: /etc/passwd\n' },
  { name: 'Sphinx: footnote', path: 'docs/sphinx/new.rst', after: '.. [1] .. include:: /etc/passwd\n' },
  {
    name: 'Sphinx: include continuation',
    path: 'docs/sphinx/new.rst',
    after: '.. include:: part/\n   ../../../../../etc/passwd\n',
  },
  {
    name: 'Sphinx: include next line substitution',
    path: 'docs/sphinx/sub/new.rst',
    after: '.. include::\n   /etc/passwd\n',
  },
  {
    name: 'Sphinx: csv file after continuation',
    path: 'docs/sphinx/new.rst',
    after: '.. csv-table:: x\n   :header: a,\n      b\n   :file: /etc/passwd\n',
  },
  {
    name: 'Sphinx: csv url after title line',
    path: 'docs/sphinx/new.rst',
    after: '.. csv-table:: x\n   y\n   :url: http://169.254.169.254/\n',
  },
  {
    name: 'Sphinx: literalinclude diff',
    path: 'docs/sphinx/new.rst',
    after: '.. literalinclude:: index.rst\n   :diff: ../../../.env\n',
  },
  {
    name: 'Sphinx: substitution pipe',
    path: 'docs/sphinx/new.rst',
    after: '.. |a|b| raw:: html\n\n   <script>alert(1)</script>\n\n|a|b|\n',
  },
  {
    name: 'Sphinx: substitution multiline',
    path: 'docs/sphinx/new.rst',
    after: '.. |a\n   b| raw:: html\n\n   <script>alert(1)</script>\n\n|a b|\n',
  },
  { name: 'Sphinx: javascript URL backslash', path: 'docs/sphinx/new.rst', after: '`x <java\\script:alert(1)>`_\n' },
  { name: 'Sphinx: javascript URL space', path: 'docs/sphinx/new.rst', after: '`x <java script:alert(1)>`_\n' },
  {
    name: 'Sphinx: javascript URL target over several lines',
    path: 'docs/sphinx/new.rst',
    after: 'x_\n\n.. _x: java\n   script:alert(1)\n',
  },
  {
    name: 'Sphinx: CR include',
    path: 'docs/sphinx/new.rst',
    after: '.. include:: part.rst\r.. include:: /etc/passwd\n',
  },
  {
    name: 'Sphinx: download',
    path: 'docs/sphinx/new.rst',
    after: ':download:`x <../../../../../proc/self/environ>`\n',
  },
  { name: 'Sphinx: image copy', path: 'docs/sphinx/new.rst', after: '.. image:: ../../../.git/config\n' },
  {
    name: 'Sphinx: meta refresh',
    path: 'docs/sphinx/new.rst',
    after: '.. meta::\n   :http-equiv=Refresh: 0; url=https://evil.example\n',
  },
  {
    name: 'Sphinx: :html: role when defined raw before',
    path: 'docs/sphinx/old.rst',
    before: '.. role:: html(raw)\n   :format: html\n',
    after: '.. role:: html(raw)\n   :format: html\n\n:html:`<script>alert(1)</script>`\n',
  },
  {
    name: 'Sphinx: csv cell',
    path: 'docs/sphinx/new.rst',
    after: '.. csv-table:: x\n\n   "a", ".. include:: /etc/passwd"\n',
  },
  { name: 'Sphinx: 1) include', path: 'docs/sphinx/new.md', after: '1) ```{include} ../../../.env\n   ```\n' },
  {
    name: 'Sphinx: footnote include',
    path: 'docs/sphinx/new.md',
    after: 'a[^1]\n\n[^1]: ```{include} ../../../.env\n    ```\n',
  },
  {
    name: 'Sphinx: csv yaml option',
    path: 'docs/sphinx/new.md',
    after: '```{csv-table} x\n---\nfile: /etc/passwd\n---\n```\n',
  },
  { name: 'Sphinx: download role', path: 'docs/sphinx/new.md', after: '{download}`x <../../../.git/config>`\n' },
  { name: 'Sphinx: link', path: 'docs/sphinx/new.md', after: '[x](../../../.git/config)\n' },
  {
    name: 'Unknown generator: code-cell 1)',
    path: 'docs/book/new.md',
    after: '1) ```{code-cell}\n   import os\n   ```\n',
  },
  {
    name: 'Antora: attribute split javascript URL',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: ':b: scrip\n\nlink:java{b}t:alert(1)[x]\n',
  },
  {
    name: 'Antora: subs block',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '[listing,subs="none"]\n----\n<img src=x onerror=alert(1)>\n----\n',
  },
  {
    name: 'Antora: subs block, variant',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '[%a,subs=none]\n....\n<script>alert(1)</script>\n....\n',
  },
  {
    name: 'Antora: paragraph subs',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '[.x,subs=none]\n<script>alert(1)</script>\n',
  },
  {
    name: 'Antora: style pass paragraph with a role',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '[pass.x]\n<script>alert(1)</script>\n',
  },
  {
    name: 'Antora: [ pass]',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '["pass"]\n<script>alert(1)</script>\n',
  },
  {
    name: 'Antora: set attribute over several lines',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: ':docinfo: \\\nshared\n',
  },
  { name: 'Antora: inline set', path: 'docs/antora/modules/ROOT/pages/new.adoc', after: '{set:docinfo:shared}\n' },
  {
    name: 'Antora: ifdef inline include',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: 'ifdef::asciidoctor[include::/etc/passwd[]]\n',
  },
  {
    name: 'Antora: source subs single quote',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: "[source,html,subs='none']\n----\n<script>alert(1)</script>\n----\n",
  },
  { name: 'Antora: attribute pass:', path: 'docs/antora/modules/ROOT/pages/new.adoc', after: ':x: pass:a[&#60;]\n\n' },
  {
    name: 'Antora: xss via image link attribute',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: 'image::x.png[link="java&#115;cript:alert(1)"]\n',
  },
  { name: 'Antora: $$ pass', path: 'docs/antora/modules/ROOT/pages/new.adoc', after: '$$<script>$$\n' },
  {
    name: 'Antora: list continuation pass',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '* a\n+\n[pass]\n<script>alert(1)</script>\n',
  },
  {
    name: 'Antora: table cell a|',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '|===\na|include::/etc/passwd[]\na|\n++++\n<script>alert(1)</script>\n++++\n|===\n',
  },
  {
    name: 'Antora: 4+ with 3plus',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '++++++\n<script>alert(1)</script>\n++++++\n',
  },
  {
    name: 'Antora: include with a trailing CR',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: 'x\rinclude::/etc/passwd[]\n',
  },
  {
    name: 'Antora: hardbreak',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: 'pass:a,q[x\\] <img src=x onerror=alert(1)>]\n',
  },
  {
    name: 'Antora: pass with substitution list dash',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: 'pass:+quotes[<b onclick=x>]\n',
  },
  {
    name: 'Antora: stem',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: 'stem:[x]\nxref:a.adoc[x,role="a\\" onclick=\\"alert(1)"]\n',
  },
  {
    name: 'Antora: role attribute injection',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '[.x"onclick="alert(1)]#y#\n',
  },
  {
    name: 'Antora: id attribute injection',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: '[[x"onclick="alert(1)]]y\n',
  },
  {
    name: 'Antora: link options',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: 'https://e.org[x,window=\'" onclick="alert(1)\']\n',
  },
  {
    name: 'Unknown generator: cc:script',
    path: 'docs/a.svg',
    after:
      '<svg xmlns="http://www.w3.org/2000/svg" xmlns:cc="http://www.w3.org/2000/svg"><cc:script>alert(1)</cc:script></svg>',
  },
  {
    name: 'Unknown generator: ATTLIST',
    path: 'docs/a.svg',
    after:
      '<!-- <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x"> --><!DOCTYPE svg [<!ATTLIST svg onload CDATA "alert(1)">]><svg xmlns="http://www.w3.org/2000/svg"/>',
  },
  {
    name: 'Unknown generator: style entity',
    path: 'docs/a.svg',
    after: '<svg xmlns="http://www.w3.org/2000/svg"><style>@&#105;mport "https://e.org/x.css";</style></svg>',
  },
  {
    name: 'MkDocs: url attribute injection',
    path: 'docs/mkdocs/mkdocs.yml',
    after:
      'site_name: Example\nsite_url: https://example.com/manual/\n# The navigation\nnav:\n  - Home: index.md\n  - Guide:\n      - Page: \'https://e.org/" onmouseover="alert(1)\'\nplugins:\n  - search\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n',
  },
  {
    name: 'Jekyll: url attribute injection',
    path: 'docs/jekyll/_data/navigation.yml',
    after: '- title: Page\n  url: \'/x" onmouseover="alert(1)" x="\'\n',
  },
  {
    name: 'Fumadocs: md link javascript URL',
    path: 'docs/fumadocs/content/docs/meta.json',
    after: '{ "title": "Guide", "pages": ["page","[x](javascript:alert(1))"] }',
  },
  {
    name: 'Starlight: attrs key space',
    path: 'docs/starlight/astro.config.mjs',
    after:
      "import { defineConfig } from 'astro/config'\nimport starlight from '@astrojs/starlight'\nimport { typeDocSidebarGroup } from 'starlight-typedoc'\n\nexport default defineConfig({\n  integrations: [\n    starlight({\n      title: 'Example',\n      head: [{ tag: 'meta', attrs: { name: 'a', content: 'b' } }],\n      sidebar: [{ label: 'Guide', items: [{ label: 'Page', slug: 'page', attrs: { 'x onclick': 'alert(1)' } }] }, typeDocSidebarGroup],\n    }),\n  ],\n})\n",
  },
  {
    name: 'MkDocs: nav !include string',
    path: 'docs/mkdocs/mkdocs.yml',
    after:
      "site_name: Example\nsite_url: https://example.com/manual/\n# The navigation\nnav:\n  - Home: index.md\n  - Guide:\n      - Page: '!include /etc/x/mkdocs.yml'\nplugins:\n  - search\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n",
  },
  {
    name: 'MkDocs: nav key tag',
    path: 'docs/mkdocs/mkdocs.yml',
    after:
      'site_name: Example\nsite_url: https://example.com/manual/\n# The navigation\nnav:\n  - Home: index.md\n  - Guide:\n      - !!python/object/apply:os.system ["id"]: page.md\nplugins:\n  - search\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n',
  },
  {
    name: 'MkDocs: nav null tag',
    path: 'docs/mkdocs/mkdocs.yml',
    after:
      'site_name: Example\nsite_url: https://example.com/manual/\n# The navigation\nnav:\n  - Home: index.md\n  - Guide:\n      - Page: !!python/name:os.system\nplugins:\n  - search\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n',
  },
  {
    name: 'MkDocs: nav tag string',
    path: 'docs/mkdocs/mkdocs.yml',
    after:
      'site_name: Example\nsite_url: https://example.com/manual/\n# The navigation\nnav:\n  - Home: index.md\n  - Guide:\n      - Page: !ENV [SECRET]\nplugins:\n  - search\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n',
  },
  {
    name: 'MkDocs: nav ? key',
    path: 'docs/mkdocs/mkdocs.yml',
    after:
      'site_name: Example\nsite_url: https://example.com/manual/\n# The navigation\nnav:\n  - Home: index.md\n  - Guide:\n      - ? Page\n        : !!python/name:os.system\nplugins:\n  - search\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n',
  },
  {
    name: 'MkDocs: nav duplicate tag',
    path: 'docs/mkdocs/mkdocs.yml',
    after:
      'site_name: Example\nsite_url: https://example.com/manual/\n# The navigation\nnav: !!python/tuple\n  - Home: index.md\n  - Guide:\n      - Page: page.md\nplugins:\n  - search\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n',
  },
  {
    name: 'Antora: pass:q,post-replacements',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: 'pass:q,post-replacements[<img src=x onerror=alert(1)>]\n',
  },
  {
    name: 'Antora: stem:q',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: 'stem:q[<img src=x onerror=alert(1)>]\n',
  },
  {
    name: 'Antora: [{x}] pass',
    path: 'docs/antora/modules/ROOT/pages/new.adoc',
    after: ':x: pass\n\n[{x}]\n<script>alert(1)</script>\n',
  },
  {
    name: 'Sphinx: grid',
    path: 'docs/sphinx/new.rst',
    after:
      '+--------------------------------------+\n| .. include:: /tmp/attack/secret.txt |\n+--------------------------------------+\n',
  },
  {
    name: 'Nextra: table',
    path: 'docs/nextra/content/new.mdx',
    after: '| a | b | c |\n| - | - | - |\n| `x | {process.exit()} | y` |\n',
  },
  {
    name: 'Unknown generator: code_cell whitespace',
    path: 'docs/book/p.md',
    before: '```{code-cell}\n# note: import os\n```\n',
    after: '```{code-cell}\n# note:\nimport os\n```\n',
  },
]
