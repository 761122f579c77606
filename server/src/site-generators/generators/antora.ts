import { readYaml } from '../config/read-config.ts'
import { commonPageFormat } from '../page-format.ts'
import type { SiteGenerator } from '../site-generator.ts'
import { buildUrl, folderOf, joinPath, nameOf, pathInFolder, splitIndex } from '../site-paths.ts'

/** The component descriptor of the repository. The playbook, which defines the URL of the site, is usually in another repository. */
export const antora: SiteGenerator = {
  id: 'antora',
  name: 'Antora',

  isConfigName: (path) => nameOf(path) === 'antora.yml',

  async openSite(files, configFile) {
    const config = readYaml(await files.read(configFile))
    const folder = folderOf(configFile)
    const { name, version } = config
    if (typeof name !== 'string') return undefined
    const isVersioned = version !== null && version !== undefined && version !== '~' && version !== ''
    return {
      generator: 'antora',
      configFile,
      folder,
      pagesFolder: joinPath(folder, 'modules') ?? folder,
      urls: {
        basePath: '/',
        pagesPath: [...(name === 'ROOT' ? [] : [name]), ...(isVersioned ? [String(version)] : [])].join('/'),
        ending: 'html',
      },
      isMarkdownMdx: false,
      pageExtensions: [],
    }
  },

  findNavigation: (site, path) =>
    path === site.configFile ? { format: 'yaml', part: [{ keys: ['nav'] }] } : undefined,
  pageFormat: (_site, path) => commonPageFormat(path),

  urlOf(site, { path }) {
    const [, module, page] = /^([^/]+)\/pages\/(.+)$/.exec(pathInFolder(path, site.pagesFolder) ?? '') ?? []
    if (module === undefined || page === undefined || !/\.adoc$/.test(page) || /(?:^|\/)_/.test(page)) return undefined
    const { path: bare, isIndex } = splitIndex(page, ['index'])
    const withModule = [...(module === 'ROOT' ? [] : [module]), ...(bare === '' ? [] : [bare])].join('/')
    return buildUrl(site, withModule, isIndex)
  },

  describeNavigation: () =>
    'Add the page to the `nav.adoc` of its module, as `* xref:path/of/the/page.adoc[Title]`. Pages are in `modules/<module>/pages`.',
}
