/**
 * Changes from the histories of public docs repositories. They are remade: every word that neither the gate nor a generator knows is
 * replaced by a made-up word, always the same one, so that the markup, the names in use and their uses stay as they were.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isPage } from '../../site-generators/page-format.ts'
import { findSites } from '../../site-generators/recognize-site.ts'
import type { SiteGeneratorId } from '../../site-generators/site-generator.ts'
import type { ChangeRefusal } from '../allow-list/allow-list.ts'
import type { ContentRefusal } from '../content-refusal.ts'
import type { InspectionInput, InspectionResult } from '../inspect-changes.ts'
import { judgeChange } from '../judge-change.ts'
import { docsFolderRules } from './change-rules.ts'

export interface HonestChange {
  /** The repository and the commit that it was remade from. */
  name: string
  generator: SiteGeneratorId
  docsFolder: string
  /** The files of the repository that matter: its configuration, and the pages that use what the change uses. */
  repository: Readonly<Record<string, string>>
  files: readonly { path: string; before?: string; after?: string }[]
  /** Why the gate refuses it all the same. Undefined: it does not. */
  refused?: string
}

interface RecordedRepository extends Pick<HonestChange, 'generator' | 'docsFolder'> {
  repository: string
  configurations: Readonly<Record<string, Readonly<Record<string, string>>>>
  pages: Readonly<Record<string, string>>
  changes: readonly (Pick<HonestChange, 'files' | 'refused'> & {
    commit: string
    configuration: string
    pages: readonly string[]
  })[]
}

export const readHonestChanges = (): HonestChange[] =>
  globSync(join(import.meta.dirname, 'honest-changes/*.json')).flatMap((file) => {
    const recorded = JSON.parse(readFileSync(file, 'utf8')) as RecordedRepository
    const { repository, generator, docsFolder } = recorded
    return recorded.changes.map(({ commit, configuration, pages, files, ...rest }) => {
      const edited = files.flatMap(({ path, before }) => (before === undefined ? [] : [[path, before]]))
      const used = pages.map((path) => [path, recorded.pages[path]])
      return {
        name: `${repository} ${commit}`,
        generator,
        docsFolder,
        repository: { ...recorded.configurations[configuration], ...Object.fromEntries([...used, ...edited]) },
        files,
        ...rest,
      }
    })
  })

export async function judgeHonestChange(
  { docsFolder, repository, files }: HonestChange,
  inspect: (input: InspectionInput) => Promise<InspectionResult>,
): Promise<{ generator: SiteGeneratorId | undefined; refusals: (ChangeRefusal | ContentRefusal)[] }> {
  const rules = docsFolderRules(docsFolder)
  const paths = Object.keys(repository)
  const sites = await findSites({ paths, read: async (path) => repository[path] }, rules)
  const refusals = await judgeChange(
    {
      sites,
      rules,
      files: files.map(({ path, before, after }) => ({
        path,
        beforeMode: before === undefined ? undefined : fileMode,
        afterMode: after === undefined ? undefined : fileMode,
        readBefore: () => before,
        readAfter: () => after,
      })),
      readBasePages: () => paths.filter(isPage).map((path) => ({ path, text: repository[path] ?? '' })),
    },
    inspect,
  )
  return { generator: sites[0]?.generator, refusals }
}

const fileMode = '100644'
