import { readJson } from '../config/read-config.ts'
import { pageFormatWithMarkdown } from '../page-format.ts'
import type { SiteGenerator } from '../site-generator.ts'
import { buildUrl, folderOf, nameOf, pathInFolder, splitIndex } from '../site-paths.ts'

export const mintlify: SiteGenerator = {
  id: 'mintlify',
  name: 'Mintlify',

  isConfigName: (path) => ['docs.json', 'mint.json'].includes(nameOf(path)),

  async openSite(files, configFile) {
    const config = readJson(await files.read(configFile))
    if (!('navigation' in config)) return undefined
    const folder = folderOf(configFile)
    return {
      generator: 'mintlify',
      configFile,
      folder,
      pagesFolder: folder,
      urls: { basePath: '/', pagesPath: '', ending: 'none' },
      isMarkdownMdx: true,
      pageExtensions: [],
    }
  },

  findNavigation(site, path) {
    if (path !== site.configFile) return undefined
    return { format: 'json', part: [{ keys: ['navigation'] }, { keys: ['redirects'] }] }
  },

  pageFormat: (_site, path) => pageFormatWithMarkdown(path, 'mdx'),

  urlOf(site, { path }) {
    const relative = pathInFolder(path, site.pagesFolder)
    if (relative === undefined || !/\.mdx?$/.test(path) || /^(?:snippets|node_modules)\//.test(relative))
      return undefined
    const { path: bare, isIndex } = splitIndex(relative, ['index'])
    return buildUrl(site, bare, isIndex && bare === '')
  },

  describeNavigation: ({ configFile }) =>
    `Add the page to \`pages\` of the right group in \`navigation\` in \`${configFile}\`, as its path without the extension. If you move a page, add an entry to \`redirects\`. Change nothing else in this file.`,
}
