/**
 * Applies the publishing rules to the work tree, with the code that the worker applies to the result. The worker has the last word:
 * this only tells the agent what would be refused while it can still undo it.
 */
import { execFileSync } from 'node:child_process'
import type { ChangeRefusal } from '../../../content-gate/allow-list/allow-list.ts'
import { maxBasePagesBytes, maxPageBytes, selectBasePages } from '../../../content-gate/base-pages.ts'
import type { ChangeRules } from '../../../content-gate/change-rules.ts'
import { type ContentRefusal, canBeApproved } from '../../../content-gate/content-refusal.ts'
import { decodeUtf8 } from '../../../content-gate/decode-utf8.ts'
import { formatChangeRefusal } from '../../../content-gate/format-refusal.ts'
import { inspectChanges, type TextFile } from '../../../content-gate/inspect-changes.ts'
import { judgeChange } from '../../../content-gate/judge-change.ts'
import { findSites } from '../../../site-generators/recognize-site.ts'
import { type RepositoryFiles, type Site, siteGeneratorIds } from '../../../site-generators/site-generator.ts'

export interface CheckedRepository {
  /** What the changes are compared with: a commit or a tree. Of a merge, both branches: what is on one of them is not new. */
  bases: readonly [string, ...string[]]
  rules: ChangeRules
}

/** The argument of a check. */
export function readCheckedRepository(): CheckedRepository {
  const { bases, rules } = JSON.parse(process.argv[2] ?? '')
  return {
    bases,
    rules: { ...rules, siteGenerator: siteGeneratorIds.find((id) => id === rules.siteGenerator) },
  }
}

interface RawChange {
  path: string
  beforeMode: string | undefined
  afterMode: string | undefined
  beforeId: string
  afterId: string
}

const noMode = '000000'

/** An index of its own, so that the repository of the agent stays as it is. */
const indexFile = '/tmp/colophon-check-index'

const git = (...args: string[]): Buffer =>
  execFileSync('env', [`GIT_INDEX_FILE=${indexFile}`, 'git', ...args], {
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  })

export function listSites({ bases: [base], rules }: CheckedRepository): Promise<readonly Site[]> {
  const files: RepositoryFiles = {
    paths: listPaths(base),
    read: async (path) => readBlob(`${base}:${path}`),
  }
  return findSites(files, rules)
}

export interface FoundRefusals {
  /** One line for each refusal. Empty: the result would be accepted. */
  refused: string[]
  /** The same for what a person would have to approve. */
  held: string[]
}

export async function findRefusals({ bases, rules }: CheckedRepository): Promise<FoundRefusals> {
  const [first = [], ...others] = await Promise.all(bases.map((base) => judgeSince(base, rules)))
  const lines = others.map((refusals) => new Set(refusals.map(formatChangeRefusal)))
  const refusals = first.filter((refusal) => lines.every((found) => found.has(formatChangeRefusal(refusal))))
  const isHeld = rules.activeContent === 'hold' && canBeApproved(refusals)
  const formatted = refusals.map(formatChangeRefusal)
  return isHeld ? { refused: [], held: formatted } : { refused: formatted, held: [] }
}

async function judgeSince(baseCommit: string, rules: ChangeRules): Promise<(ChangeRefusal | ContentRefusal)[]> {
  const changes = listChanges(baseCommit)
  if (changes.length === 0) return []
  return await judgeChange(
    {
      sites: await listSites({ bases: [baseCommit], rules }),
      rules,
      files: changes.map(({ beforeId, afterId, ...change }) => ({
        ...change,
        readBefore: () => readBlob(beforeId),
        readAfter: () => readBlob(afterId),
        readBytesAfter: () => readBytes(afterId),
      })),
      readBasePages: (changedPaths) => readBasePages(baseCommit, changedPaths),
    },
    inspectChanges,
  )
}

/** What the result would change, whether or not it is committed or added to the index. */
function listChanges(baseCommit: string): RawChange[] {
  git('read-tree', baseCommit)
  git('add', '--all')
  const fields = git('diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', baseCommit)
    .toString('utf8')
    .split('\0')
  const changes: RawChange[] = []
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [beforeMode = '', afterMode = '', beforeId = '', afterId = ''] = (fields[index] ?? '').slice(1).split(' ')
    changes.push({
      path: fields[index + 1] ?? '',
      beforeMode: beforeMode === noMode ? undefined : beforeMode,
      afterMode: afterMode === noMode ? undefined : afterMode,
      beforeId,
      afterId,
    })
  }
  return changes
}

function readBasePages(baseCommit: string, changedPaths: readonly string[]): TextFile[] {
  const pages: TextFile[] = []
  let bytesLeft = maxBasePagesBytes
  for (const path of selectBasePages(listPaths(baseCommit), changedPaths)) {
    const text = readBlob(`${baseCommit}:${path}`, bytesLeft)
    if (text === undefined) continue
    bytesLeft -= text.length
    pages.push({ path, text })
  }
  return pages
}

const listPaths = (commit: string): string[] =>
  git('ls-tree', '-r', '-z', '--name-only', commit).toString('utf8').split('\0').filter(Boolean)

/** Undefined: there is no such blob, it is too large, or it is not UTF-8. */
function readBlob(name: string, maxBytes = maxPageBytes): string | undefined {
  const bytes = readBytes(name)
  return bytes === undefined || bytes.length > Math.min(maxBytes, maxPageBytes) ? undefined : decodeUtf8(bytes)
}

function readBytes(name: string): Buffer | undefined {
  try {
    return git('cat-file', 'blob', name)
  } catch {
    return undefined
  }
}
