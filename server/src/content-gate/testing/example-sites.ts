/** A small site of every generator, in folders of one repository whose docs folder is `docs`. */

export const exampleSites: Readonly<Record<string, string>> = {
  'docs/docusaurus/docusaurus.config.ts': `import type { Config } from '@docusaurus/types'
const config: Config = {
  title: 'Example',
  baseUrl: '/manual/',
  presets: [['classic', { docs: { sidebarPath: './sidebars.ts' } }]],
}
export default config
`,
  'docs/docusaurus/sidebars.ts': `import type { SidebarsConfig } from '@docusaurus/plugin-content-docs'
import generated from './generated'

const sidebars: SidebarsConfig = {
  docs: ['page', { type: 'category', label: 'Guide', items: ['guide/intro'] }, ...generated('arg')],
}

export default sidebars
`,
  'docs/docusaurus/docs/page.md': '---\ntitle: Page\n---\n\n# Page\n\nText.\n',
  'docs/docusaurus/docs/tabs.mdx': `import Tabs from '@theme/Tabs'
import TabItem from '@theme/TabItem'
import Version from '../src/version'

<Tabs groupId="os">
  <TabItem value="linux">Text.</TabItem>
</Tabs>

The version is {Version}.
`,
  'docs/vitepress/.vitepress/config.mts': `import { defineConfig } from 'vitepress'
import { plugin } from './plugin'

export default defineConfig({
  base: '/manual/',
  head: [['link', { rel: 'icon', href: '/icon.png' }]],
  themeConfig: {
    nav: [{ text: 'Home', link: '/' }],
    sidebar: [{ text: 'Guide', items: [{ text: 'Page', link: '/page' }] }],
  },
  vite: { plugins: [plugin()] },
})
`,
  'docs/vitepress/page.md': '# Page\n\n<Badge type="tip" text="new" />\n\n```js\nconst x = 1\n```\n',
  'docs/starlight/astro.config.mjs': `import { defineConfig } from 'astro/config'
import starlight from '@astrojs/starlight'
import { typeDocSidebarGroup } from 'starlight-typedoc'

export default defineConfig({
  integrations: [
    starlight({
      title: 'Example',
      head: [{ tag: 'meta', attrs: { name: 'a', content: 'b' } }],
      sidebar: [{ label: 'Guide', items: [{ label: 'Page', slug: 'page' }] }, typeDocSidebarGroup],
    }),
  ],
})
`,
  'docs/starlight/src/content/docs/page.mdx': `---
title: Page
---

import { Card } from '@astrojs/starlight/components'

<Card title="A">Text.</Card>
`,
  'docs/starlight/src/content/docs/wide.md':
    '---\ntitle: Wide\nhead:\n  - tag: style\n    content: |\n      body { --sl-content-width: 60rem; }\n---\n\nText.\n',
  'docs/starlight/src/content/docs/plain.md': '---\ntitle: Plain\n---\n\nText.\n',
  'docs/mkdocs/mkdocs.yml': `site_name: Example
site_url: https://example.com/manual/
# The navigation
nav:
  - Home: index.md
  - Guide:
      - Page: page.md
plugins:
  - search
markdown_extensions:
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
`,
  'docs/mkdocs/docs/page.md': '# Page\n\n!!! note\n    Text.\n',
  'docs/macros/mkdocs.yml': 'site_name: Example\nplugins:\n  - search\n  - macros\n',
  'docs/macros/docs/page.md': '# Page\n\nVersion {{ version }}, {{ button("Start", "page.md") }}.\n',
  'docs/zensical/zensical.toml': `[project]
site_name = "Example"
nav = [{ "Home" = "index.md" }, { "Page" = "page.md" }]

[project.theme]
custom_dir = "overrides"
`,
  'docs/zensical/docs/page.md': '# Page\n',
  'docs/hugo/hugo.toml': `baseURL = "https://example.com/manual/"
title = "Example"

[[menus.main]]
name = "Page"
pageRef = "/page"
weight = 1

[security.exec]
allow = ["^git$"]
`,
  'docs/hugo/content/page.md': '---\ntitle: Page\n---\n\n{{< note >}}Text.{{< /note >}}\n',
  'docs/sphinx/conf.py': 'project = "Example"\nextensions = ["myst_parser"]\n',
  'docs/sphinx/index.rst':
    'Example\n=======\n\n.. toctree::\n\n   page\n\n.. custom-box::\n\n   Text with a :custom:`role`.\n',
  'docs/sphinx/api.rst':
    'API\n===\n\n.. automodule:: example.core\n\n.. autofunction:: example.core.run\n\n.. currentmodule:: example.core\n\n.. automethod:: Client.send\n',
  'docs/sphinx/page.md': '# Page\n\n```{note}\nText.\n```\n',
  'docs/book/_config.yml': 'title: Example\n',
  'docs/book/_toc.yml': 'format: jb-book\nroot: page\nchapters:\n- file: other\n',
  'docs/book/page.md': '# Page\n\n```{code-cell}\nprint(1)\n```\n',
  'docs/nextra/next.config.mjs': "import nextra from 'nextra'\nexport default nextra({})({ output: 'export' })\n",
  'docs/nextra/content/_meta.ts': "export default {\n  page: 'Page',\n}\n",
  'docs/nextra/content/page.mdx':
    'import { Callout } from \'nextra/components\'\n\n# Page\n\n<Callout type="info">Text.</Callout>\n',
  'docs/fumadocs/source.config.ts':
    "import { defineDocs } from 'fumadocs-mdx/config'\nexport const docs = defineDocs({ dir: 'content/docs' })\n",
  'docs/fumadocs/content/docs/meta.json': '{ "title": "Guide", "pages": ["page"] }\n',
  'docs/fumadocs/content/docs/page.mdx': '---\ntitle: Page\n---\n\nText.\n',
  'docs/mintlify/docs.json': `{
  "name": "Example",
  "colors": { "primary": "#123456" },
  "navigation": { "groups": [{ "group": "Guide", "pages": ["page"] }] },
  "redirects": [{ "source": "/old", "destination": "/page" }]
}
`,
  'docs/mintlify/page.mdx': '---\ntitle: Page\n---\n\n<Card title="A" href="/page">Text.</Card>\n',
  'docs/mdbook/book.toml': '[book]\ntitle = "Example"\n',
  'docs/mdbook/src/SUMMARY.md': '# Summary\n\n- [Page](page.md)\n',
  'docs/mdbook/src/page.md': '# Page\n\nText.\n',
  'docs/jekyll/_config.yml': 'title: Example\nbaseurl: /manual\n',
  'docs/jekyll/_data/navigation.yml': '- title: Page\n  url: /page.html\n',
  'docs/jekyll/page.md':
    '---\ntitle: Page\n---\n\n{% include note.html content="Text" %} [x]({{ "/page.html" | relative_url }})\n',
  'docs/antora/antora.yml': 'name: example\nversion: "1.0"\nnav:\n- modules/ROOT/nav.adoc\n',
  'docs/antora/modules/ROOT/nav.adoc': '* xref:page.adoc[Page]\n',
  'docs/antora/modules/ROOT/pages/page.adoc': '= Page\n:toc: left\n\nText.\n\ninclude::partial$note.adoc[]\n',
}
