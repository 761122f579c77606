import { slug as slugify } from 'github-slugger'
import { readJsValue } from '../config/read-config.ts'
import { commonPageFormat } from '../page-format.ts'
import type { SiteGenerator } from '../site-generator.ts'
import { buildUrl, folderOf, joinPath, nameOf, pathInFolder, splitIndex, toBasePath } from '../site-paths.ts'

export const starlight: SiteGenerator = {
  id: 'starlight',
  name: 'Astro Starlight',

  isConfigName: (path) => /^astro\.config\.(?:js|mjs|ts|mts|cjs)$/.test(nameOf(path)),

  async openSite(files, configFile) {
    const source = await files.read(configFile)
    if (!source?.includes('@astrojs/starlight')) return undefined
    const folder = folderOf(configFile)
    const isFileFormat = readJsValue(source, configFile, 'build', 'format') === 'file'
    return {
      generator: 'starlight',
      configFile,
      folder,
      pagesFolder: joinPath(folder, 'src/content/docs') ?? folder,
      urls: {
        basePath: toBasePath(readJsValue(source, configFile, 'base')),
        pagesPath: '',
        ending: isFileFormat ? 'html' : 'slash',
      },
      isMarkdownMdx: false,
      pageExtensions: [],
    }
  },

  findNavigation(site, path) {
    if (path !== site.configFile) return undefined
    return { format: 'js', part: [{ keys: ['sidebar'], call: { name: 'default', from: '@astrojs/starlight' } }] }
  },

  pageFormat: (_site, path) => commonPageFormat(path),

  urlOf(site, { path, frontMatter }) {
    const relative = pathInFolder(path, site.pagesFolder)
    if (relative === undefined || !/\.(?:mdx?|markdown)$/.test(path)) return undefined
    if (relative.split('/').some((part) => part.startsWith('_'))) return undefined
    if (typeof frontMatter.slug === 'string') return buildUrl(site, frontMatter.slug.replace(/^\/+|\/+$/g, ''), false)
    const { path: bare, isIndex } = splitIndex(relative, ['index'])
    return buildUrl(
      site,
      bare
        .split('/')
        .map((part) => slugify(part))
        .join('/'),
      isIndex,
    )
  },

  describeNavigation: ({ configFile }) =>
    `The sidebar is \`sidebar\` in the options of \`starlight()\` in \`${configFile}\`, if it is set: add \`{ label: 'Title', slug: 'path/of/the/page' }\`, or only the slug, to the items of the right group; a group with \`autogenerate\` lists its pages itself. A slug is the path of the page below the docs folder, in lower case, without the extension. Change nothing but \`sidebar\` in this file, and use only literals.`,
}
