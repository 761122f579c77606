/** Changes with active content that is new, each with a change that is as similar as possible, but allowed. */
import type { ContentRefusalCode } from '../content-refusal.ts'
import { exampleSites } from './example-sites.ts'

export interface HostileContent {
  name: string
  /** The only reason to refuse it. */
  code: ContentRefusalCode
  path: string
  hostile: string
  harmless: string
}

const pages = {
  docusaurus: 'docs/docusaurus/docs/page.md',
  docusaurusMdx: 'docs/docusaurus/docs/tabs.mdx',
  vitepress: 'docs/vitepress/page.md',
  starlight: 'docs/starlight/src/content/docs/page.mdx',
  starlightMarkdown: 'docs/starlight/src/content/docs/plain.md',
  mkdocs: 'docs/mkdocs/docs/page.md',
  macros: 'docs/macros/docs/page.md',
  zensical: 'docs/zensical/docs/page.md',
  hugo: 'docs/hugo/content/page.md',
  rst: 'docs/sphinx/index.rst',
  myst: 'docs/sphinx/page.md',
  book: 'docs/book/page.md',
  nextra: 'docs/nextra/content/page.mdx',
  fumadocs: 'docs/fumadocs/content/docs/page.mdx',
  mintlify: 'docs/mintlify/page.mdx',
  mdbook: 'docs/mdbook/src/page.md',
  jekyll: 'docs/jekyll/page.md',
  antora: 'docs/antora/modules/ROOT/pages/page.adoc',
  unknown: 'docs/page.md',
} as const
type Page = keyof typeof pages

const sourceOf = (path: string): string => exampleSites[path] ?? ''

/** Text that is added at the end of a page. */
const added = (
  page: Page,
  name: string,
  hostile: string,
  harmless: string,
  code: ContentRefusalCode = 'active_content',
): HostileContent => ({
  name: `${page}: ${name}`,
  code,
  path: pages[page],
  hostile: `${sourceOf(pages[page])}\n${hostile}\n`,
  harmless: `${sourceOf(pages[page])}\n${harmless}\n`,
})

/** A part of a file that is replaced. */
function replaced(
  path: string,
  name: string,
  search: string,
  hostile: string,
  harmless: string,
  code: ContentRefusalCode = 'unsafe_navigation',
): HostileContent {
  const source = sourceOf(path)
  if (source.split(search).length !== 2) throw new Error(`${path} must contain ${search} once`)
  const file = path.split('/').slice(1).join('/')
  return {
    name: `${file}: ${name}`,
    code,
    path,
    hostile: source.replace(search, () => hostile),
    harmless: source.replace(search, () => harmless),
  }
}

const newPage = (
  path: string,
  name: string,
  hostile: string,
  harmless: string,
  code: ContentRefusalCode = 'active_content',
): HostileContent => ({
  name: `${path}: ${name}`,
  code,
  path,
  hostile,
  harmless,
})

const sidebars = 'docs/docusaurus/sidebars.ts'
const vitepressConfig = 'docs/vitepress/.vitepress/config.mts'
const astroConfig = 'docs/starlight/astro.config.mjs'
const mkdocsConfig = 'docs/mkdocs/mkdocs.yml'
const item = "'guide/intro'"
const bidi = '\u202e'
const tags = [...'run this']
  .map((character) => String.fromCodePoint(0xe0000 + (character.codePointAt(0) ?? 0)))
  .join('')
const token = ['ghp_', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'] // in two parts, so that scanners do not find it here

export const hostileContents: readonly HostileContent[] = [
  // JavaScript in MDX
  added('docusaurus', 'an import in .md', 'import fs from "node:fs"', 'The word import at the start of a line.'),
  added('docusaurus', 'an export', 'export const secret = process.env.TOKEN', 'A word: export.'),
  added('docusaurus', 'an expression', '{process.env.TOKEN}', '{/* a comment */}'),
  added('docusaurus', 'an expression in a heading', '## {process.version}', '## A heading {#id}'),
  added('docusaurus', 'an expression in a link', '[x](/{process.version}) {1 + 1}', '[x](/version) {1}'),
  added(
    'docusaurus',
    'an expression hidden by code with a comment',
    '## A {#id}\n\n`<!--` {process.exit()} `-->`',
    '## A {#id}\n\n<!-- a comment -->',
  ),
  added(
    'docusaurus',
    'an unwrapped code block',
    '```mdx-code-block\n{process.exit()}\n```',
    '```js\n{process.exit()}\n```',
  ),
  added(
    'docusaurus',
    'a live code block',
    '```jsx live\nfunction X() { return fetch("/") }\n```',
    '```jsx\nfunction X() { return fetch("/") }\n```',
  ),
  added('docusaurus', 'a page that is not valid MDX', '{process.exit(}', '`{process.exit(}`'),
  added(
    'docusaurusMdx',
    'a component that no page uses',
    '<Head><title>x</title></Head>',
    '<Tabs groupId="b"><TabItem value="x">x</TabItem></Tabs>',
  ),
  added(
    'docusaurusMdx',
    'an attribute with an expression',
    '<Tabs groupId={process.env.X} />',
    '<Tabs groupId={"x"} values={[{ label: "a", value: "b" }]} />',
  ),
  added('docusaurusMdx', 'spread attributes', '<Tabs {...globalThis.process} />', '<Tabs groupId="x" />'),
  added(
    'docusaurusMdx',
    'HTML as an attribute',
    '<div dangerouslySetInnerHTML={{ __html: "<script>x()</script>" }} />',
    '<div className="x" style={{ color: "red" }} />',
  ),
  added('docusaurusMdx', 'an event handler', '<a onClick="x()">x</a>', '<a className="x">x</a>'),
  newPage(
    'docs/docusaurus/docs/other.mdx',
    'an import from elsewhere under the name of another page',
    "import Tabs from '../theme/Tabs'",
    "import Tabs from '@theme/Tabs'",
  ),
  newPage(
    'docs/docusaurus/docs/deep/new.mdx',
    'a relative import that means another file',
    "import Version from '../src/version'\n",
    "import Version from '../../src/version'\n",
  ),
  added('docusaurusMdx', 'a changed expression', '{Version.constructor("x")()}', '{Version}'),
  added('docusaurusMdx', 'a name that no page uses', '<Tabs groupId={secrets} />', 'It is {Version}.'),
  added('docusaurusMdx', 'a computed key', '<Tabs values={{ [x()]: 1 }} />', '<Tabs values={{ x: 1 }} />'),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is code of the page
  added('docusaurusMdx', 'a template with an expression', '<Tabs groupId={`${x()}`} />', '<Tabs groupId={`x`} />'),
  added('docusaurusMdx', 'a script element', '<script>{`x()`}</script>', '<kbd>{`x`}</kbd>'),
  newPage(
    'docs/starlight/src/content/docs/new.mdx',
    'an import of a Node module',
    "import fs from 'node:fs'",
    "import { Card } from '@astrojs/starlight/components'",
  ),
  added('starlight', 'a directive of Astro', '<div set:html="<script>x()</script>" />', '<div title="x" />'),
  added('starlight', 'a client directive', '<Card client:load title="x" />', '<Card title="x" />'),
  added('starlightMarkdown', 'a script', '<script>x()</script>', '`<script>x()</script>`'),
  added('nextra', 'an expression', '{(() => process.env)()}', '{"text"}'),
  added('nextra', 'a re-export', "export * from 'node:fs'", 'Text.'),
  added('fumadocs', 'an inclusion component', '<include>../../secret.txt</include>', '<details>Text.</details>'),
  added('mintlify', 'an expression', '{fetch("https://example.com")}', '{/* comment */}'),
  added('mintlify', 'an unknown component', '<Evil src="x" />', '<Card title="B" href="/x">Text.</Card>'),

  // Vue in VitePress
  added('vitepress', 'an interpolation', '{{ process.env }}', '`{{ process.env }}`'),
  added('vitepress', 'an interpolation in a heading', '# {{ 6 * 7 }}', '# Title'),
  added(
    'vitepress',
    'script setup',
    '<script setup>\nimport fs from "node:fs"\n</script>',
    '```vue\n<script setup>\n</script>\n```',
  ),
  added(
    'vitepress',
    'a script after a backslash in HTML',
    '<div>\n\\<script>x()</script>\n</div>',
    '# \\<script setup> {#id}',
  ),
  added('vitepress', 'a bound attribute', '<Badge :text="process.env.X" />', '<Badge text="x" />'),
  added('vitepress', 'a v- directive', '<p v-html="x"></p>', '<p title="x"></p>'),
  added('vitepress', 'an event', '<p @click="x()"></p>', '<p title="click"></p>'),
  added('vitepress', 'a component that no page uses', '<Evil />', '<Badge text="y" />'),
  added(
    'vitepress',
    'a code block that is compiled',
    '```js-vue\n{{ process.env }}\n```',
    '```js\n{{ process.env }}\n```',
  ),
  added('vitepress', 'an interpolation in the title of a code block', '```js [{{ x() }}]\n1\n```', '```js [x]\n1\n```'),
  added('vitepress', 'a snippet outside of the pages', '<<< ../../secret.txt', '<<< ./page.md'),
  added('vitepress', 'an inclusion outside of the pages', '<!--@include: /etc/passwd-->', '<!--@include: ./page.md-->'),
  added('vitepress', 'a list of attributes', '## Title {onclick="x()"}', '## Title {#x}'),
  newPage(
    'docs/vitepress/new.md',
    'front matter in JavaScript',
    '---js\n{ title: process.version }\n---\n',
    '---yaml\ntitle: x\n---\n',
  ),
  newPage(
    'docs/vitepress/head.md',
    'a script in the head',
    '---\nhead:\n  - - script\n    - src: https://example.com/x.js\n---\n',
    '---\ntitle: x\n---\n',
  ),

  // Template languages
  added('jekyll', 'a link to a computed page', '[x]({% link {{ site.x }} %})', '[x]({% link guide/page.md %})'),
  added('jekyll', 'an expression', '{{ site.github | jsonify }}', '{{ "/other.html" | relative_url }}'),
  added('jekyll', 'a page of the site', '{{ site.pages }}', '{{ site.baseurl }}'),
  added('jekyll', 'an expression in code', '```\n{{ site.data }}\n```', '```\n{ site.data }\n```'),
  added(
    'jekyll',
    'an inclusion that no page uses',
    '{% include_relative secret.txt %}',
    '{% include note.html content="Other" %}',
  ),
  added('jekyll', 'HTML without Markdown', '{::nomarkdown}\n<b>x</b>\n{:/}', '{::comment}\nx\n{:/}'),
  added(
    'jekyll',
    'an attribute list with an event handler',
    'A paragraph.\n{: onclick="x()"}',
    'A paragraph.\n{: .note}',
  ),
  added('macros', 'an expression', '{{ environment }}', '{{ button("Other", "other.md") }}'),
  added('macros', 'a tag', '{% include "/etc/passwd" %}', '{ include }'),
  added('mkdocs', 'a snippet', '--8<-- "../secret.txt"', '`-->8--`'),
  added('mkdocs', 'a snippet in code', '```\n--8<-- "secret.txt"\n```', '```\ntext\n```'),
  added(
    'mkdocs',
    'a script in a fence of tildes that is not code everywhere',
    '- item\n\n    ~~~\n    <script>x()</script>\n    ~~~',
    '```\n<script>x()</script>\n```',
  ),
  added('zensical', 'an iframe', '<iframe src="https://example.com"></iframe>', '`<iframe>`'),
  added('hugo', 'a shortcode that no page uses', '{{< readfile "/etc/passwd" >}}', '{{< note >}}More.{{< /note >}}'),
  added('hugo', 'a shortcode in code', '```\n{{% evil %}}\n```', '```\n{{%/* evil */%}}\n```'),
  added('mdbook', 'an absolute inclusion', '{{#include /etc/hostname}}', '{{#include page.md}}'),
  added(
    'mdbook',
    'an inclusion outside of the pages',
    '```\n{{#include ../../../.env}}\n```',
    '```\n{{#include page.md:anchor}}\n```',
  ),
  added('mdbook', 'a playground file', '{{#playground ../build.rs}}', '{{#title A title}}'),

  // Directives of reStructuredText and MyST
  added('rst', 'an inclusion of the environment', '.. include:: /proc/self/environ', '.. include:: part.rst'),
  added(
    'rst',
    'an inclusion outside of the pages',
    '.. literalinclude:: ../../../.env',
    '.. literalinclude:: example.py',
  ),
  added(
    'rst',
    'raw HTML',
    '.. raw:: html\n\n   <script>x()</script>',
    '.. code-block:: html\n\n   <script>x()</script>',
  ),
  added(
    'rst',
    'a table from a URL',
    '.. csv-table:: x\n   :url: http://169.254.169.254/',
    '.. csv-table:: x\n   :header: a, b',
  ),
  added('rst', 'a table from a file', '.. csv-table:: x\n   :file: /etc/passwd', '.. csv-table:: x\n   :widths: 1, 2'),
  added('rst', 'a module that is imported', '.. automodule:: antigravity', '.. module:: example'),
  added(
    'rst',
    'a function in another module',
    '.. autofunction:: example.other.run',
    '.. autofunction:: example.core.stop',
  ),
  added('rst', 'a directive that no page uses', '.. program-output:: id', '.. custom-box::'),
  added('rst', 'a directive in a substitution', '.. |x| raw:: html\n\n   <b>', '.. |x| replace:: text'),
  added('rst', 'a role definition', '.. role:: raw-html(raw)\n   :format: html', ':custom:`text`'),
  added('rst', 'a role definition that is not code', '.. role:: x(raw)', '.. role:: py(code)\n\n:py:`x`'),
  added('rst', 'a role that no page uses', ':evil:`x`', ':ref:`x`'),
  added('rst', 'a link to a script', '`x <javascript:alert(1)>`_', '`x <https://example.com>`_'),
  added('myst', 'an inclusion', '```{include} ../../../.env\n```', '```{include} page.md\n```'),
  added('myst', 'embedded reStructuredText', '```{eval-rst}\n.. raw:: html\n```', '```{tip}\nText.\n```'),
  added('myst', 'raw HTML', ':::{raw} html\n<b>\n:::', ':::{note}\nText.\n:::'),
  added('myst', 'a substitution', '{{ env.config }}', '`{{ env.config }}`'),
  added(
    'book',
    'a code cell',
    '```{code-cell} ipython3\nimport os; os.system("id")\n```',
    '```python\nimport os; os.system("id")\n```',
  ),
  replaced(
    'docs/book/page.md',
    'a changed code cell',
    'print(1)',
    'print(__import__("os").environ)',
    'print(1)',
    'active_content',
  ),
  newPage(
    'docs/book/cells.md',
    'front matter that makes a page executable',
    '---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n',
    '---\ntitle: x\n---\n',
  ),

  // AsciiDoc
  added('antora', 'an inclusion of a file of the machine', 'include::/etc/hostname[]', 'include::partial$other.adoc[]'),
  added('antora', 'an inclusion by URL', 'include::https://example.com/x.adoc[]', 'include::example$x.rb[]'),
  added('antora', 'an inclusion outside of the pages', 'include::../../../../../../.env[]', 'include::other.adoc[]'),
  added('antora', 'a passthrough block', '++++\n<script>x()</script>\n++++', '----\n<script>x()</script>\n----'),
  added('antora', 'an inline passthrough', '+++<img src=x onerror=x()>+++', '`+<img src=x onerror=x()>+`'),
  added('antora', 'a passthrough macro', 'pass:[<b onclick="x()">]', 'pass:[text]'),
  added('antora', 'an attribute that loads a script', ':docinfo: shared', ':stem: latexmath'),
  added('antora', 'a link to a script', 'link:javascript:alert(1)[x]', 'link:https://example.com[x]'),
  added(
    'antora',
    'a link to a script, from attributes',
    ':a: java\n:b: script\n\nlink:{a}{b}:alert(1)[x]',
    ':a: java\n\nlink:{a}/x[x]',
  ),
  added('antora', 'an attribute that switches on inclusions', ':allow-uri-read:', ':experimental:'),
  added('antora', 'a condition that is evaluated', 'ifeval::["{backend}" == "html5"]', 'ifdef::backend[]'),

  // HTML in Markdown
  added(
    'unknown',
    'a script',
    '<script src="https://example.com/x.js"></script>',
    '```html\n<script src="https://example.com/x.js"></script>\n```',
  ),
  added('unknown', 'a script without an end', '<ScRiPt src=x', '`<script src=x`'),
  added('unknown', 'an event handler', '<img src="x" onerror="x()">', '<img src="x" alt="onerror">'),
  added(
    'unknown',
    'an event handler in a tag over several lines',
    '<div\nclass="a"\nonmouseover=x()\n>',
    '<div\nclass="a"\n>',
  ),
  added('unknown', 'an iframe', '<iframe srcdoc="x"></iframe>', '<details>x</details>'),
  added('unknown', 'a style sheet', '<link rel="stylesheet" href="x.css">', '<mark>x</mark>'),
  added('unknown', 'a form', '<form action="https://example.com"><input name="p"></form>', '<p>form</p>'),
  added('unknown', 'inline SVG with a script', '<svg><script>x()</script></svg>', '![x](x.svg)'),
  added('unknown', 'a custom element that no page uses', '<evil-widget></evil-widget>', '<em>x</em>'),
  added('unknown', 'a link to a script', '[x](javascript:alert(1))', '[x](https://example.com/javascript:1)'),
  added('unknown', 'a link to a script with entities', '[x](&#106;ava&#x73;cript&colon;alert(1))', '[x](&amp;)'),
  added('unknown', 'a link to a script with an escape', '[x](javascript\\:alert(1))', '[x](a\\:b)'),
  added('unknown', 'a reference to a script', '[x]: JaVaScRiPt:alert(1)', '[x]: https://example.com'),
  added('unknown', 'an autolink to a script', '<javascript:alert(1)>', '<https://example.com>'),
  added(
    'unknown',
    'a link to a document',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '![x](data:image/png;base64,iVBORw0KGgo=)',
  ),
  added('unknown', 'an import, for a generator that is not known', 'import x from "fs"', 'import x'),
  added('unknown', 'an interpolation, for a generator that is not known', '{{ x }}', '`{{ x }}`'),
  newPage(
    'docs/new.md',
    'front matter with a tag',
    '---\ntitle: !!js/function "function () {}"\n---\n',
    '---\ntitle: "!!js"\n---\n',
  ),
  newPage(
    'docs/line.md',
    'front matter with an unusual line break',
    '---\ntitle: x # c\rlayout: y\n---\n',
    '---\ntitle: x # c\n---\n',
    'active_content',
  ),

  // Navigation in JavaScript
  replaced(sidebars, 'a call', item, "require('child_process').execSync('id')", `${item}, 'guide/new'`),
  replaced(
    sidebars,
    'a changed argument of a call',
    "generated('arg')",
    "generated('other')",
    "generated('arg'), 'new'",
  ),
  replaced(sidebars, 'a changed import', "'./generated'", "'./evil'", "'./generated'", 'unsafe_navigation'),
  replaced(sidebars, 'a getter', `[${item}]`, '{ get x() { return process.env } }', `[${item}, 'b']`),
  replaced(sidebars, 'a spread', `[${item}]`, '[...process.argv]', "['a']"),
  replaced(sidebars, 'a computed key', "label: 'Guide'", '[x()]: 1', "label: 'Guides'"),
  replaced(sidebars, 'a prototype', "label: 'Guide'", '__proto__: { x: 1 }', "label: 'G', collapsed: true"),
  replaced(sidebars, 'a method', "label: 'Guide'", 'label() { return 1 }', 'label: `Guide`'),
  replaced(sidebars, 'a tagged template', item, 'x`y`', '`guide/intro`'),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is code of the file
  replaced(sidebars, 'a template with an expression', item, '`${process.env.X}`', '"guide/intro"'),
  replaced(
    sidebars,
    'HTML',
    item,
    "{ type: 'html', value: 'x' }",
    "{ type: 'link', label: 'x', href: 'https://example.com' }",
  ),
  replaced(
    sidebars,
    'another statement',
    'export default sidebars',
    'process.exit()\nexport default sidebars',
    'export default sidebars // the end',
  ),
  replaced(sidebars, 'a directive', 'import type', "'use evil'\nimport type", '// c\nimport type'),
  newPage(
    'docs/nextra/content/guide/_meta.ts',
    'a new file with code',
    'export default { a: process.env.X }\n',
    "export default { a: 'A' }\n",
    'unsafe_navigation',
  ),
  replaced('docs/nextra/content/_meta.ts', 'a function', "'Page'", '(() => 1)()', "'Pages'"),
  replaced(
    vitepressConfig,
    'a script in the head',
    "['link', { rel: 'icon', href: '/icon.png' }]",
    "['script', { src: '/icon.png' }]",
    "['link', { rel: 'icon', href: '/icon.png' }]",
  ),
  replaced(vitepressConfig, 'the base path', "'/manual/'", "'/other/'", "'/manual/'"),
  replaced(
    vitepressConfig,
    'HTML in a label',
    "{ text: 'Page', link: '/page' }",
    "{ text: '<img src=x onerror=x()>', link: '/page' }",
    "{ text: 'Page & more', link: '/page' }",
  ),
  replaced(
    vitepressConfig,
    'a link to a script',
    "link: '/page' }",
    "link: 'javascript:x()' }",
    "link: '/page' }, { text: 'New', link: '/new' }",
  ),
  replaced(vitepressConfig, 'another function', "from 'vitepress'", "from './evil'", "from 'vitepress'"),
  replaced(
    astroConfig,
    'a script in the head',
    "{ tag: 'meta', attrs: { name: 'a', content: 'b' } }",
    "{ tag: 'script', attrs: { src: 'x' } }",
    "{ tag: 'meta', attrs: { name: 'a', content: 'b' } }",
  ),
  replaced(
    astroConfig,
    'an event handler',
    "slug: 'page' }",
    "slug: 'page', attrs: { onclick: 'x()' } }",
    "slug: 'page' }, 'new'",
  ),
  replaced(
    astroConfig,
    'a computed group is removed',
    ', typeDocSidebarGroup]',
    ']',
    ", 'other', typeDocSidebarGroup]",
  ),
  replaced(astroConfig, 'another integration', 'integrations: [', 'integrations: [evil(), ', 'integrations: ['),

  // Navigation in YAML, TOML and JSON
  replaced(mkdocsConfig, 'a hook', 'plugins:\n', 'hooks:\n  - evil.py\nplugins:\n', 'plugins:\n'),
  replaced(
    mkdocsConfig,
    'a hook after an unusual line break',
    '      - Page: page.md\n',
    '      - Page: page.md # c\rhooks: [evil.py]\n',
    '      - Page: page.md # c\n      - New: new.md\n',
    'unsafe_navigation',
  ),
  replaced(mkdocsConfig, 'a tag that reads the environment', 'Page: page.md', 'Page: !ENV SECRET', 'Pages: page.md'),
  replaced(mkdocsConfig, 'an alias', '  - Home: index.md\n', '  - &x Home: index.md\n', '  - Start: index.md\n'),
  replaced(mkdocsConfig, 'a second navigation', 'plugins:\n', 'nav:\n  - x: y.md\nplugins:\n', 'plugins:\n'),
  replaced(
    mkdocsConfig,
    'a changed tag',
    'material.extensions.emoji.twemoji',
    'os.system',
    'material.extensions.emoji.twemoji',
  ),
  replaced(
    mkdocsConfig,
    'HTML in a label',
    '- Page: page.md',
    '- <script>x()</script>: page.md',
    '- "Page: more": page.md',
  ),
  replaced(
    mkdocsConfig,
    'a second document',
    'markdown_extensions:',
    '---\nmarkdown_extensions:',
    'markdown_extensions:',
  ),
  replaced('docs/zensical/zensical.toml', 'another folder of templates', '"overrides"', '"docs"', '"overrides"'),
  replaced(
    'docs/zensical/zensical.toml',
    'a link to a script',
    '{ "Page" = "page.md" }',
    '{ "Page" = "javascript:x()" }',
    '{ "Page" = "page.md" }, { "New" = "new.md" }',
  ),
  replaced('docs/hugo/hugo.toml', 'a program that may be run', '"^git$"', '".*"', '"^git$"'),
  replaced('docs/hugo/hugo.toml', 'HTML in a menu', 'name = "Page"', 'name = "<b>"', 'name = "Start"'),
  replaced(
    'docs/book/_toc.yml',
    'a file outside of the book',
    '- file: other',
    '- file: ../../secret',
    '- file: other\n- file: new',
  ),
  replaced(
    'docs/mintlify/docs.json',
    'a tag manager',
    '"colors": { "primary": "#123456" }',
    '"integrations": { "gtm": { "tagId": "GTM-1" } }',
    '"colors": { "primary": "#123456" }',
  ),
  replaced('docs/mintlify/docs.json', 'a key twice', '["page"]', '["page"], "pages": ["x"]', '["page", "new"]'),
  replaced('docs/mintlify/docs.json', 'HTML in a group', '"Guide"', '"<script>x()</script>"', '"Guides"'),
  replaced(
    'docs/antora/antora.yml',
    'an extension',
    'nav:\n',
    'ext:\n  collector: { run: { command: id } }\nnav:\n',
    'nav:\n- modules/ROOT/new.adoc\n',
  ),
  replaced(
    'docs/fumadocs/content/docs/meta.json',
    'a link to a script',
    '["page"]',
    '["page", "[x](javascript:x())", "javascript:x()"]',
    '["page", "new"]',
  ),
  replaced('docs/jekyll/_data/navigation.yml', 'a link to a script', '/page.html', 'javascript:x()', '/new.html'),

  // Images
  newPage(
    'docs/image.svg',
    'a script',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>x()</script></svg>',
    '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>',
    'active_svg',
  ),
  newPage(
    'docs/event.svg',
    'an event handler',
    '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>',
    '<svg xmlns="http://www.w3.org/2000/svg" width="1"/>',
    'active_svg',
  ),
  newPage(
    'docs/foreign.svg',
    'HTML',
    '<svg><foreignObject><b>x</b></foreignObject></svg>',
    '<svg><text>x</text></svg>',
    'active_svg',
  ),
  newPage(
    'docs/use.svg',
    'an external reference',
    '<svg><use href="https://example.com/x.svg#a"/></svg>',
    '<svg><use href="#a"/></svg>',
    'active_svg',
  ),
  newPage(
    'docs/style.svg',
    'an import in a style',
    '<svg><style>@import url(https://example.com/x.css);</style></svg>',
    '<svg><style>.a { fill: red }</style></svg>',
    'active_svg',
  ),
  newPage(
    'docs/entity.svg',
    'an entity',
    '<!DOCTYPE svg [<!ENTITY x "y">]><svg>&x;</svg>',
    '<svg>&amp;</svg>',
    'active_svg',
  ),
  newPage(
    'docs/animate.svg',
    'an animation of a link',
    '<svg><a><animate attributeName="href" values="javascript:x()"/></a></svg>',
    '<svg><g></g></svg>',
    'active_svg',
  ),

  // Characters and secrets
  added('unknown', 'a bidirectional control', `access${bidi}nimda`, 'access', 'hidden_character'),
  added(
    'unknown',
    'tag characters',
    `Text${tags}`,
    'Text 👨‍👩‍👧 ❤️ 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    'hidden_character',
  ),
  added('unknown', 'a zero-width space', 'to\u200bken', 'token', 'hidden_character'),
  added('rst', 'variation selectors that carry data', `x\u{fe01}\u{fe02}`, '☃\ufe0f', 'hidden_character'),
  added('unknown', 'a secret', `Token: ${token.join('')}`, 'Token: ghp_xxxx', 'secret'),
  added(
    'mkdocs',
    'a secret that is split over lines',
    `Token: "${token[0]}wWPw5k4aXcaT4fNP\n0UcnZwJUVFk6LO0pINUx"`,
    'Token: ghp_',
    'secret',
  ),
]
