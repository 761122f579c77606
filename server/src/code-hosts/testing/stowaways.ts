/** Sound results that bring along what is no part of them. They are accepted, and none of it reaches the host. */
import { type CraftedCommit, craftCommit } from './craft-commit.ts'
import { bundleOf, type GitObject, gitObject, packOf, packOfEntries, tagEntry } from './craft-objects.ts'
import { page } from './hostile-result.ts'

export type Stowaway = {
  name: string
  result(base: CraftedCommit): { bundle: Buffer; hidden: readonly string[] }
}

const workflow = { '.gitea/workflows/build.yaml': 'on: push\n' }

const pageOn = (base: CraftedCommit, parents: readonly string[]) =>
  craftCommit({ ...base.files, 'docs/page.md': page }, parents)

const bundleOfAll = (base: CraftedCommit, head: CraftedCommit, others: readonly (CraftedCommit | GitObject)[]) => {
  const added = others.flatMap((other) => ('objects' in other ? [...other.objects.values()] : [other]))
  const objects = new Map([...head.objects.values(), ...added].map((object) => [object.id, object]))
  return bundleOf({ bases: [base.id], refs: { HEAD: head.id }, pack: packOf(objects.values()) })
}

export const stowaways: readonly Stowaway[] = [
  {
    name: 'a workflow added and taken back again',
    result(base) {
      const between = craftCommit({ ...base.files, ...workflow }, [base.id])
      const head = pageOn(base, [between.id])
      return { bundle: bundleOfAll(base, head, [between]), hidden: [between.id, between.tree, head.id] }
    },
  },
  {
    name: 'a merge with another history',
    result(base) {
      const other = craftCommit(workflow, [])
      const head = pageOn(base, [base.id, other.id])
      return { bundle: bundleOfAll(base, head, [other]), hidden: [other.id, other.tree, head.id] }
    },
  },
  {
    name: 'a file that nothing leads to',
    result(base) {
      const file = gitObject('blob', 'nobody asked for this\n')
      const head = pageOn(base, [base.id])
      return { bundle: bundleOfAll(base, head, [file]), hidden: [file.id, head.id] }
    },
  },
  {
    name: 'a tag',
    result(base) {
      const head = pageOn(base, [base.id])
      const tag = tagEntry(head.id)
      const objects = packOf(head.objects.values()).subarray(12, -20)
      const pack = packOfEntries([objects, tag.entry], head.objects.size + 1)
      return { bundle: bundleOf({ bases: [base.id], refs: { HEAD: head.id }, pack }), hidden: [tag.id, head.id] }
    },
  },
]
