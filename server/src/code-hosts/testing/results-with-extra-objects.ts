/** Valid results whose bundles contain additional objects. They are accepted, and none of those objects reaches the host. */
import { type CraftedCommit, craftCommit } from './craft-commit.ts'
import {
  craftGitObject,
  craftTagPackEntry,
  createBundle,
  createPack,
  createPackFromEntries,
  type GitObject,
} from './craft-objects.ts'
import { pageText } from './hostile-result.ts'

export type ResultWithExtraObjects = {
  name: string
  result(base: CraftedCommit): { bundle: Buffer; hidden: readonly string[] }
}

const workflow = { '.gitea/workflows/build.yaml': 'on: push\n' }

const pageOn = (base: CraftedCommit, parents: readonly string[]) =>
  craftCommit({ ...base.files, 'docs/page.md': pageText }, parents)

const bundleOfAll = (base: CraftedCommit, head: CraftedCommit, extras: readonly (CraftedCommit | GitObject)[]) => {
  const added = extras.flatMap((extra) => ('objects' in extra ? [...extra.objects.values()] : [extra]))
  const objects = new Map([...head.objects.values(), ...added].map((object) => [object.id, object]))
  return createBundle({ bases: [base.id], refs: { HEAD: head.id }, pack: createPack(objects.values()) })
}

export const resultsWithExtraObjects: readonly ResultWithExtraObjects[] = [
  {
    name: 'a workflow that was added and removed again',
    result(base) {
      const intermediate = craftCommit({ ...base.files, ...workflow }, [base.id])
      const head = pageOn(base, [intermediate.id])
      return { bundle: bundleOfAll(base, head, [intermediate]), hidden: [intermediate.id, intermediate.tree, head.id] }
    },
  },
  {
    name: 'a merge with another history',
    result(base) {
      const unrelated = craftCommit(workflow, [])
      const head = pageOn(base, [base.id, unrelated.id])
      return { bundle: bundleOfAll(base, head, [unrelated]), hidden: [unrelated.id, unrelated.tree, head.id] }
    },
  },
  {
    name: 'an unreachable file',
    result(base) {
      const file = craftGitObject('blob', 'not part of the result\n')
      const head = pageOn(base, [base.id])
      return { bundle: bundleOfAll(base, head, [file]), hidden: [file.id, head.id] }
    },
  },
  {
    name: 'a tag',
    result(base) {
      const head = pageOn(base, [base.id])
      const tag = craftTagPackEntry(head.id)
      const objects = createPack(head.objects.values()).subarray(12, -20)
      const pack = createPackFromEntries([objects, tag.entry], head.objects.size + 1)
      return { bundle: createBundle({ bases: [base.id], refs: { HEAD: head.id }, pack }), hidden: [tag.id, head.id] }
    },
  },
]
