/** Reads what the content gate needs from a bare repository: the sites at the base, and the changed files before and after. */
import { maxBasePagesBytes, maxPageBytes, selectBasePages } from '../content-gate/base-pages.ts'
import type { ChangeRules } from '../content-gate/change-rules.ts'
import { type ContentRefusal, maxListedRefusals } from '../content-gate/content-refusal.ts'
import { decodeUtf8 } from '../content-gate/decode-utf8.ts'
import {
  type ChangedFile,
  isInspected,
  isNavigationOfDocs,
  isSkippedBinary,
  type TextFile,
} from '../content-gate/inspect-changes.ts'
import { runInspection } from '../content-gate/run-inspection.ts'
import { findSites, listConfigFiles } from '../site-generators/recognize-site.ts'
import type { RepositoryFiles, Site } from '../site-generators/site-generator.ts'
import type { FileChange } from './git/compare-trees.ts'
import type { GitRepository } from './git/git-repository.ts'
import type { ObjectReader } from './git/object-reader.ts'

export interface InspectedContent {
  refusals: readonly ContentRefusal[]
  newHosts: readonly string[]
}

const maxConfigBytes = 256 * 1024
/** Inspected at a time, so that the memory that this takes does not depend on the size of the result. */
const maxBatchBytes = 1024 * 1024
/** For a whole result: only one is inspected at a time, so a result that takes long keeps others waiting. */
const maxInspectionMs = 60_000

export class ContentInspector {
  readonly #git: GitRepository
  readonly #objects: ObjectReader
  /** Blobs of the base by path. */
  readonly #files: ReadonlyMap<string, string>
  readonly #rules: ChangeRules
  readonly #sites: readonly Site[]

  private constructor(
    git: GitRepository,
    objects: ObjectReader,
    files: ReadonlyMap<string, string>,
    rules: ChangeRules,
    sites: readonly Site[],
  ) {
    this.#git = git
    this.#objects = objects
    this.#files = files
    this.#rules = rules
    this.#sites = sites
  }

  /** Recognizes the sites of the base. */
  static async open(
    git: GitRepository,
    objects: ObjectReader,
    baseTree: string,
    rules: ChangeRules,
  ): Promise<ContentInspector> {
    const files = new Map<string, string>()
    for (const [path, id] of await git.listFiles(baseTree)) {
      const decoded = decodeUtf8(Buffer.from(path, 'latin1'))
      if (decoded !== undefined) files.set(decoded, id)
    }
    const paths = [...files.keys()]
    await fetchMissing(
      git,
      objects,
      listConfigFiles(paths).map((path) => files.get(path) ?? ''),
    )
    const repository: RepositoryFiles = {
      paths,
      read: async (path) => {
        const id = files.get(path)
        if (id === undefined) return undefined
        await fetchMissing(git, objects, [id])
        return await readText(objects, id, maxConfigBytes)
      },
    }
    const sites = await findSites(repository, rules)
    return new ContentInspector(git, objects, files, rules, sites)
  }

  /** The site of the docs folder. */
  get site(): Site | undefined {
    return this.#sites[0]
  }

  isSiteNavigation(path: string): boolean {
    return isNavigationOfDocs(this.#sites, this.#rules.docsFolders, path)
  }

  /** All changes must have passed the allow list: their paths are UTF-8, and together they are small. */
  async inspect(changes: readonly FileChange[], signal: AbortSignal): Promise<InspectedContent> {
    const { allowedPaths } = this.#rules
    const inspected = changes
      .map(({ path, before, after }) => ({ path: path.toString('utf8'), before: before?.id, after: after?.id }))
      .filter(({ path }) => isInspected(this.#sites, allowedPaths, path))
    const ids = inspected.flatMap(({ before, after }) => [before ?? '', after ?? ''])
    await fetchMissing(this.#git, this.#objects, ids)
    const changed: typeof inspected = []
    for (const change of inspected)
      if (change.after !== undefined && !(await this.#isSkippedBinary(change.path, change.after))) changed.push(change)
    const removed = await this.#readFiles(
      inspected.filter(({ after }) => after === undefined).map(({ path, before = '' }) => ({ path, id: before })),
      maxBatchBytes,
    )
    const refusals: ContentRefusal[] = []
    const newHosts = new Set<string>()
    let basePages: TextFile[] | undefined
    let batch: ChangedFile[] = []
    let batchBytes = 0
    let timeoutMs = maxInspectionMs
    const run = async () => {
      const input = { sites: this.#sites, allowedPaths, changes: batch, removed, basePages }
      const result = await runInspection(input, { signal, timeoutMs: Math.max(timeoutMs, 1) })
      timeoutMs -= result.tookMs
      return result
    }
    const inspectBatch = async () => {
      let result = await run()
      if (result.needsBasePages) {
        basePages = await this.#readBasePages(inspected.map(({ path }) => path))
        result = await run()
      }
      refusals.push(...result.refusals)
      for (const host of result.newHosts) newHosts.add(host)
      batch = []
      batchBytes = 0
    }
    for (const { path, before: beforeId, after: afterId = '' } of changed) {
      if (refusals.length >= maxListedRefusals || timeoutMs <= 0) break
      const before = beforeId === undefined ? undefined : await readText(this.#objects, beforeId, maxPageBytes)
      const after = (await readText(this.#objects, afterId, maxPageBytes)) ?? null
      const bytes = (before?.length ?? 0) + (after?.length ?? 0)
      if (batchBytes + bytes > maxBatchBytes && batch.length > 0) await inspectBatch()
      batch.push({ path, before, after })
      batchBytes += bytes
    }
    if (batch.length > 0 || timeoutMs <= 0) await inspectBatch()
    return { refusals, newHosts: [...newHosts].toSorted() }
  }

  async #isSkippedBinary(path: string, id: string): Promise<boolean> {
    const info = await this.#objects.info(id)
    return info?.type === 'blob' && isSkippedBinary(this.#sites, path, await this.#objects.contents(id))
  }

  async #readBasePages(changedPaths: readonly string[]): Promise<TextFile[]> {
    const pages = selectBasePages([...this.#files.keys()], changedPaths).map((path) => ({
      path,
      id: this.#files.get(path) ?? '',
    }))
    const ids = pages.map(({ id }) => id)
    await fetchMissing(this.#git, this.#objects, ids)
    return await this.#readFiles(pages, maxBasePagesBytes)
  }

  /** Files that are too large or not UTF-8 are left out, and everything after the limit. */
  async #readFiles(files: readonly { path: string; id: string }[], maxBytes: number): Promise<TextFile[]> {
    const read: TextFile[] = []
    let bytesLeft = maxBytes
    for (const { path, id } of files) {
      const text = await readText(this.#objects, id, Math.min(maxPageBytes, bytesLeft))
      if (text === undefined) continue
      bytesLeft -= text.length
      read.push({ path, text })
    }
    return read
  }
}

async function fetchMissing(git: GitRepository, objects: ObjectReader, ids: readonly string[]): Promise<void> {
  const missing: string[] = []
  for (const id of new Set(ids)) if (id !== '' && !(await objects.info(id))) missing.push(id)
  await git.fetchBlobs(missing)
}

/** Undefined: the blob is too large, or not UTF-8. */
async function readText(objects: ObjectReader, id: string, maxBytes: number): Promise<string | undefined> {
  const info = await objects.info(id)
  if (!info || info.sizeBytes > maxBytes) return undefined
  return decodeUtf8(await objects.contents(id))
}
