/** Finds the site generator of a repository by its configuration files. */
import { createUnknownSite } from './generators/unknown.ts'
import type { RepositoryFiles, Site, SiteGeneratorId } from './site-generator.ts'
import { siteGenerators } from './site-generators.ts'
import { isInFolder } from './site-paths.ts'

export interface RecognitionSettings {
  /** Of several, the site of the first one is preferred. An empty one is the whole repository. */
  docsFolders: readonly string[]
  /** Set by a person. Undefined: any generator. */
  siteGenerator?: SiteGeneratorId | undefined
}

const maxConfigDepth = 5
const maxOpenedConfigs = 40
/** Folders in which a configuration usually belongs to something else than the docs of the repository. */
const unlikelyFolder = /(?:^|\/)(?:node_modules|vendor|examples?|fixtures?|templates?|tests?|__tests__|testdata)\//

/** Files that `findSites` reads first. */
export const listConfigFiles = (paths: readonly string[]): string[] =>
  paths
    .filter((path) => isLikelyConfig(path) && siteGenerators.some((generator) => generator.isConfigName(path)))
    .slice(0, maxOpenedConfigs)

/**
 * All sites of a repository, the most likely one first: the one whose pages are in the first docs folder, or around it, then the one
 * with the shortest path. A person may have chosen a generator whose configuration is not in the repository. Never empty.
 */
export async function findSites(
  files: RepositoryFiles,
  { docsFolders: [docsFolder = ''], siteGenerator: chosen }: RecognitionSettings,
): Promise<readonly Site[]> {
  const candidates = siteGenerators
    .filter(({ id }) => chosen === undefined || id === chosen)
    .flatMap((generator) =>
      files.paths
        .filter((path) => generator.isConfigName(path) && isLikelyConfig(path))
        .map((path) => ({ generator, path })),
    )
  const sites: Site[] = []
  for (const { generator, path } of candidates.slice(0, maxOpenedConfigs)) {
    const site = await generator.openSite(files, path)
    if (site) sites.push(site)
  }
  if (sites.length === 0) return [{ ...createUnknownSite(docsFolder), generator: chosen ?? 'unknown' }]
  return sites.toSorted((one, other) => rank(one, docsFolder) - rank(other, docsFolder))
}

export async function recognizeSite(files: RepositoryFiles, settings: RecognitionSettings): Promise<Site> {
  const [site] = await findSites(files, settings)
  return site ?? createUnknownSite(settings.docsFolders[0] ?? '')
}

const isLikelyConfig = (path: string): boolean =>
  path.split('/').length <= maxConfigDepth + 1 && !unlikelyFolder.test(`${path}/`)

/** Lower is better. `toSorted` is stable, so that equal ranks stay in the order of the generators. */
function rank({ pagesFolder, folder }: Site, docsFolder: string): number {
  const depth = folder === '' ? 0 : folder.split('/').length
  if (docsFolder === '' || pagesFolder === docsFolder) return depth
  if (isInFolder(pagesFolder, docsFolder) || isInFolder(docsFolder, pagesFolder)) return 10 + depth
  return isInFolder(docsFolder, folder) ? 20 + depth : 30 + depth
}
