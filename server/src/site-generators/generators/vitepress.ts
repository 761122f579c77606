import { readJsValue } from '../config/read-config.ts'
import { pageFormatWithMarkdown } from '../page-format.ts'
import type { NavigationPlace, SiteGenerator } from '../site-generator.ts'
import { buildUrl, folderOf, joinPath, nameOf, pathInFolder, splitIndex, toBasePath, toFolder } from '../site-paths.ts'

const defineConfig = { name: 'defineConfig', from: 'vitepress' }
const places: readonly NavigationPlace[] = [
  { keys: ['themeConfig', 'sidebar'], call: defineConfig },
  { keys: ['themeConfig', 'nav'], call: defineConfig },
  { keys: ['themeConfig', 'sidebar'] },
  { keys: ['themeConfig', 'nav'] },
]

export const vitepress: SiteGenerator = {
  id: 'vitepress',
  name: 'VitePress',

  isConfigName: (path) => /(?:^|\/)\.vitepress\/config\.(?:js|mjs|ts|mts)$/.test(path),

  async openSite(files, configFile) {
    const source = await files.read(configFile)
    const folder = folderOf(folderOf(configFile))
    return {
      generator: 'vitepress',
      configFile,
      folder,
      pagesFolder: joinPath(folder, toFolder(readJsValue(source, configFile, 'srcDir'), '')) ?? folder,
      urls: {
        basePath: toBasePath(readJsValue(source, configFile, 'base')),
        pagesPath: '',
        ending: readJsValue(source, configFile, 'cleanUrls') === true ? 'none' : 'html',
      },
      isMarkdownMdx: false,
      pageExtensions: [],
    }
  },

  findNavigation: (site, path) => (path === site.configFile ? { format: 'js', part: places } : undefined),
  pageFormat: (_site, path) => pageFormatWithMarkdown(path, 'vue-markdown'),

  urlOf(site, { path }) {
    const relative = pathInFolder(path, site.pagesFolder)
    if (relative === undefined || !/\.md$/.test(path) || /(?:^|\/)(?:\.vitepress|node_modules)\//.test(relative))
      return undefined
    const { path: bare, isIndex } = splitIndex(relative, ['index'])
    return buildUrl(site, bare, isIndex)
  },

  describeNavigation: ({ configFile, urls }) =>
    `The sidebar is \`themeConfig.sidebar\` in \`${configFile}\`: add \`{ text: 'Title', link: '/path/of/the/page' }\` to the items of the right group; change nothing but \`sidebar\` and \`nav\` in this file, and use only literals. Links of the navigation start with a slash, without \`${nameOf(urls.basePath) || 'the base path'}\` and without an extension. Text in double braces is executed by Vue outside of code: do not write any.`,
}
