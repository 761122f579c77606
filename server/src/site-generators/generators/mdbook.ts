import { dataAt, readToml } from '../config/read-config.ts'
import { pageFormatWithMarkdown } from '../page-format.ts'
import type { SiteGenerator } from '../site-generator.ts'
import { buildUrl, folderOf, joinPath, nameOf, pathInFolder, splitIndex, toBasePath, toFolder } from '../site-paths.ts'

export const mdbook: SiteGenerator = {
  id: 'mdbook',
  name: 'mdBook',

  isConfigName: (path) => nameOf(path) === 'book.toml',

  async openSite(files, configFile) {
    const config = readToml(await files.read(configFile))
    const folder = folderOf(configFile)
    return {
      generator: 'mdbook',
      configFile,
      folder,
      pagesFolder: joinPath(folder, toFolder(dataAt(config, 'book', 'src'), 'src')) ?? folder,
      urls: { basePath: toBasePath(dataAt(config, 'output', 'html', 'site-url')), pagesPath: '', ending: 'html' },
      isMarkdownMdx: false,
      pageExtensions: [],
    }
  },

  findNavigation: () => undefined, // SUMMARY.md is a page
  pageFormat: (_site, path) => pageFormatWithMarkdown(path, 'mdbook-markdown'),

  urlOf(site, { path }) {
    const relative = pathInFolder(path, site.pagesFolder)
    if (relative === undefined || relative === 'SUMMARY.md' || !/\.md$/.test(path)) return undefined
    const { path: bare, isIndex } = splitIndex(relative, ['index', 'README'])
    return buildUrl(site, bare, isIndex)
  },

  describeNavigation: ({ pagesFolder }) =>
    `Add the page to \`${joinPath(pagesFolder, 'SUMMARY.md')}\`, as \`- [Title](path/of/the/page.md)\`, indented under its parent. A page that is not listed there is not built.`,
}
