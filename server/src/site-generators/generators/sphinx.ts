import { pageFormatWithMarkdown } from '../page-format.ts'
import type { SiteGenerator } from '../site-generator.ts'
import { buildUrl, folderOf, nameOf, pathInFolder, splitIndex, toBasePath } from '../site-paths.ts'

export const sphinx: SiteGenerator = {
  id: 'sphinx',
  name: 'Sphinx',

  isConfigName: (path) => nameOf(path) === 'conf.py',

  async openSite(files, configFile) {
    const source = (await files.read(configFile)) ?? ''
    // Python is not parsed: these assignments are on lines of their own in practice.
    if (!/^(?:extensions|html_theme|project|master_doc|root_doc)\s*[:=]/m.test(source)) return undefined
    const folder = folderOf(configFile)
    const readTheDocs = await readFirst(['.readthedocs.yaml', '.readthedocs.yml', 'readthedocs.yml'], files.read)
    const notebooks = /["'](?:myst_nb|nbsphinx|jupyter_sphinx|sphinx_thebe)["']/.test(source)
    return {
      generator: 'sphinx',
      configFile,
      folder,
      pagesFolder: folder,
      urls: {
        basePath: toBasePath(/^html_baseurl\s*=\s*["']([^"']*)["']/m.exec(source)?.[1]),
        pagesPath: '',
        ending: /^\s*builder:\s*["']?dirhtml/m.test(readTheDocs ?? '') ? 'slash' : 'html',
      },
      isMarkdownMdx: false,
      pageExtensions: notebooks ? ['notebooks'] : [],
    }
  },

  findNavigation: () => undefined,
  pageFormat: (_site, path) => pageFormatWithMarkdown(path, 'myst'),

  urlOf(site, { path }) {
    const relative = pathInFolder(path, site.pagesFolder)
    if (relative === undefined || !/\.(?:rst|md|txt)$/.test(path)) return undefined
    if (site.urls.ending === 'html') return buildUrl(site, relative.replace(/\.\w+$/, ''), false)
    const { path: bare, isIndex } = splitIndex(relative, ['index'])
    return buildUrl(site, bare, isIndex)
  },

  describeNavigation: () =>
    'The navigation is in the pages: add the new page to the `toctree` of the page that lists its neighbors, on a line of its own, as its path without the extension (relative to that page, or from the source folder with a leading slash).',
}

async function readFirst(
  paths: readonly string[],
  read: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const path of paths) {
    const text = await read(path)
    if (text !== undefined) return text
  }
  return undefined
}
