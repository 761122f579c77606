/** Runs in the sandbox: checks what changed since a commit, and prints the results as JSON. */

import { listChangedPages, openCommitTree, openWorkTree } from './file-tree.ts'
import { findRefusals, listSites, readCheckedRepository } from './find-refusals.ts'
import { checkChangedPages, PageChecker } from './findings.ts'

const repository = readCheckedRepository()
const [base] = repository.bases
const [site] = await listSites(repository)
if (!site) throw new Error('findSites never returns an empty list')
const before = new PageChecker(openCommitTree(base), site)
const now = new PageChecker(openWorkTree(), site)
const pageChecks = await checkChangedPages(listChangedPages(base), before, now)
const { refused, held } = await findRefusals(repository)
const rules = {
  name: 'Publishing rules',
  status: refused.length === 0 ? 'passed' : 'failed',
  findings: refused,
  ...(held.length > 0 && { note: `A person has to approve: ${held.join('; ')}` }),
}
process.stdout.write(JSON.stringify([...pageChecks, rules]))
