/**
 * Compares the contents of changed files before and after, and refuses what is active and new. Runs in a process of its own in the
 * worker (`run-inspection.ts`), and in the sandbox of a runner, so that the agent sees a refusal while it can act on it.
 */
import { createUnknownSite, findCommonNavigation } from '../site-generators/generators/unknown.ts'
import { extensionOf, isPage, type PageFormat } from '../site-generators/page-format.ts'
import type { NavigationFile, PageExtension, Site } from '../site-generators/site-generator.ts'
import { siteGeneratorOf } from '../site-generators/site-generators.ts'
import { isInFolder, overlapsFolder } from '../site-generators/site-paths.ts'
import type { ActiveItem, Vocabulary } from './active-content.ts'
import { isAllowedPath } from './allow-list/allowed-paths.ts'
import type { ContentRefusal } from './content-refusal.ts'
import { findSecrets } from './find-secrets.ts'
import { findHiddenCharacters } from './hidden-characters.ts'
import { inspectPage } from './inspect-page.ts'
import { findActiveSvg } from './inspect-svg.ts'
import { findNavigationProblem } from './navigation/navigation-edit.ts'
import { findHosts } from './outside-hosts.ts'

export interface TextFile {
  path: string
  text: string
}

export interface ChangedFile {
  path: string
  /** Undefined: the file is new. */
  before: string | undefined
  /** Null: the file is not UTF-8, or too large. */
  after: string | null
}

export interface InspectionInput {
  /** The sites of the repository before the change. */
  sites: readonly Site[]
  /** Files that the project allows beside its docs. Only pages and images among them are inspected as such. */
  allowedPaths: readonly string[]
  /** Added and edited files. */
  changes: readonly ChangedFile[]
  /** A new file may be one of these under a new name. */
  removed: readonly TextFile[]
  /** Pages of the repository before the change. Undefined: they were not read yet, because they may not be needed. */
  basePages: readonly TextFile[] | undefined
}

export interface InspectionResult {
  refusals: ContentRefusal[]
  /** Hosts in links and images that no page named before. */
  newHosts: string[]
  /** Whether the result could differ with `basePages`. */
  needsBasePages: boolean
}

export async function inspectChanges(input: InspectionInput): Promise<InspectionResult> {
  const { sites, basePages = [] } = input
  const vocabulary: Vocabulary = new Set(
    basePages.flatMap((page) => findItems(sites, page).flatMap(({ vocabularyKey }) => vocabularyKey ?? [])),
  )
  const refusals: ContentRefusal[] = []
  const newHosts = new Set<string>()
  let isVocabularyUseful = false
  for (const change of input.changes) {
    const found = await inspectChange(input, change, vocabulary)
    refusals.push(...found.refusals)
    isVocabularyUseful ||= found.isVocabularyUseful
    for (const host of found.newHosts) newHosts.add(host)
  }
  for (const { text } of basePages) for (const host of findHosts(text)) newHosts.delete(host)
  return {
    refusals,
    newHosts: [...newHosts].toSorted(),
    needsBasePages: input.basePages === undefined && (isVocabularyUseful || newHosts.size > 0),
  }
}

interface InspectedChange {
  refusals: ContentRefusal[]
  newHosts: string[]
  isVocabularyUseful: boolean
}

async function inspectChange(
  { sites, allowedPaths, removed }: InspectionInput,
  { path, before: ownBefore, after }: ChangedFile,
  vocabulary: Vocabulary,
): Promise<InspectedChange> {
  if (after === null)
    return { refusals: [{ code: 'not_text', path, text: '' }], newHosts: [], isVocabularyUseful: false }
  const earlier = ownBefore === undefined ? findEarlierVersion(after, removed) : { path, text: ownBefore }
  const before = earlier?.text ?? ''
  // A page that moved is compared with what it was at its old path: another generator may read it now.
  const earlierItems = new Set(earlier ? findItems(sites, earlier).map(toKey) : [])
  const newItems = findItems(sites, { path, text: after }).filter((item) => !earlierItems.has(toKey(item)))
  const activeItems = newItems.filter(
    ({ vocabularyKey }) => vocabularyKey === undefined || !vocabulary.has(vocabularyKey),
  )
  const earlierHosts = findHosts(before)
  return {
    refusals: [
      ...activeItems.map(
        ({ kind, text, line }): ContentRefusal => ({ code: 'active_content', path, line, text, kind }),
      ),
      ...findFileRefusals(sites, allowedPaths, { path, before: ownBefore, after }),
      ...findNewHiddenCharacters(path, before, after),
      ...(await findNewSecrets(path, before, after)),
    ],
    // The namespace of an SVG image is a URL, but not a link.
    newHosts: isPage(path) ? [...findHosts(after)].filter((host) => !earlierHosts.has(host)) : [],
    isVocabularyUseful: activeItems.some(({ vocabularyKey }) => vocabularyKey !== undefined),
  }
}

const toKey = ({ kind, text }: ActiveItem): string => `${kind} ${text}`

/** Every generator that may read the page counts: a repository can have two sites with the same pages. */
function findItems(sites: readonly Site[], { path, text }: TextFile): ActiveItem[] {
  return listReadings(sites, path).flatMap((reading) => inspectPage({ path, text, ...reading }))
}

interface Reading {
  format: PageFormat
  pagesFolder: string
  extensions: readonly PageExtension[]
}

/** A page outside of all sites may be read by anything, as in a repository whose generator is unknown. */
function listReadings(sites: readonly Site[], path: string): Reading[] {
  const owners = sites.filter((site) => isInFolder(path, site.pagesFolder))
  const around = owners.length > 0 ? owners : sites.filter((site) => isInFolder(path, site.folder))
  const readers = around.length > 0 ? around : [createUnknownSite('')]
  const readings = readers.flatMap((site): Reading[] => {
    const format = siteGeneratorOf(site.generator).pageFormat(site, path)
    return format ? [{ format, pagesFolder: site.pagesFolder, extensions: site.pageExtensions }] : []
  })
  return readings.filter(({ format }, index) => readings.findIndex((other) => other.format === format) === index)
}

/** Navigation that is particular to the generator of a site. It may be anywhere. Undefined: the file is none. */
function findSiteNavigation(sites: readonly Site[], path: string): NavigationFile | undefined {
  for (const site of sites) {
    const found = siteGeneratorOf(site.generator).findNavigation(site, path)
    if (found) return found
  }
  return undefined
}

const findNavigationFile = (sites: readonly Site[], path: string): NavigationFile | undefined =>
  findSiteNavigation(sites, path) ?? findCommonNavigation(path)

/** The navigation of a site whose pages are in a docs folder, or around it. */
export const isNavigationOfDocs = (sites: readonly Site[], docsFolders: readonly string[], path: string): boolean =>
  findSiteNavigation(
    sites.filter(({ pagesFolder }) => docsFolders.some((folder) => overlapsFolder(pagesFolder, folder))),
    path,
  ) !== undefined

/** Whether the contents of a file have to be inspected. Images other than SVG are not. */
export const isInspected = (sites: readonly Site[], allowedPaths: readonly string[], path: string): boolean =>
  isDocsText(sites, path) || isAllowedPath(path, allowedPaths)

/** A binary file in an allowed path is not inspected: it has a NUL character, so that nothing reads it as text. */
export const isSkippedBinary = (sites: readonly Site[], path: string, contents: Uint8Array): boolean =>
  !isDocsText(sites, path) && contents.includes(0)

const isDocsText = (sites: readonly Site[], path: string): boolean =>
  isPage(path) || /\.(?:svg|txt)$|(?:^|\/)\.order$/i.test(path) || findNavigationFile(sites, path) !== undefined

function findFileRefusals(
  sites: readonly Site[],
  allowedPaths: readonly string[],
  { path, before, after }: { path: string; before: string | undefined; after: string },
): ContentRefusal[] {
  const isImage = extensionOf(path) === 'svg'
  if (isAllowedPath(path, allowedPaths) && !isImage) return []
  const navigation = findNavigationFile(sites, path)
  if (navigation) {
    const problem = findNavigationProblem({ path, before, after }, navigation)
    return problem ? [{ code: 'unsafe_navigation', path, ...problem }] : []
  }
  // Jekyll renders every file with front matter.
  const isRendered = sites.some(({ generator }) => generator === 'jekyll') && after.startsWith('---') && !isPage(path)
  if (isRendered) return [{ code: 'active_content', kind: 'front_matter', path, line: 1, text: '---' }]
  if (!isImage) return []
  const active = findActiveSvg(after)
  return active === undefined ? [] : [{ code: 'active_svg', path, text: active }]
}

function findNewHiddenCharacters(path: string, before: string, after: string): ContentRefusal[] {
  const counts = new Map<string, number>()
  for (const { character } of findHiddenCharacters(before)) counts.set(character, (counts.get(character) ?? 0) + 1)
  return findHiddenCharacters(after).flatMap(({ character, line }): ContentRefusal[] => {
    const left = counts.get(character) ?? 0
    counts.set(character, left - 1)
    return left > 0 ? [] : [{ code: 'hidden_character', path, line, text: character }]
  })
}

async function findNewSecrets(path: string, before: string, after: string): Promise<ContentRefusal[]> {
  const found = await findSecrets(path, after)
  if (found.length === 0) return []
  const earlier = new Set((await findSecrets(path, before)).map(({ message }) => message))
  return found
    .filter(({ message }) => !earlier.has(message))
    .map(({ message, line }) => ({ code: 'secret', path, line, text: message }))
}

/** The removed file that a new one was moved from: it has at least half of its lines. */
function findEarlierVersion(after: string, removed: readonly TextFile[]): TextFile | undefined {
  const lines = after.split('\n').filter((line) => line.trim() !== '')
  const shares = removed.map((file) => {
    const earlierLines = new Set(file.text.split('\n'))
    return { file, share: lines.filter((line) => earlierLines.has(line)).length / Math.max(lines.length, 1) }
  })
  const [best] = shares.toSorted((one, other) => other.share - one.share)
  return best && best.share >= 0.5 ? best.file : undefined
}
