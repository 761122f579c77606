/** Runs in the sandbox: checks what changed since a commit, and prints the results as JSON. */

import { listChangedPages, openCommitTree, openWorkTree } from './file-tree.ts'
import { findRefusals, listSites, readCheckedRepository } from './find-refusals.ts'
import { checkChangedPages, PageChecker } from './findings.ts'

const repository = readCheckedRepository()
const { baseCommit } = repository
const [site] = await listSites(repository)
if (!site) throw new Error('findSites never returns an empty list')
const before = new PageChecker(openCommitTree(baseCommit), site)
const now = new PageChecker(openWorkTree(), site)
const pageChecks = await checkChangedPages(listChangedPages(baseCommit), before, now)
const refusals = await findRefusals(repository)
const rules = { name: 'Publishing rules', status: refusals.length === 0 ? 'passed' : 'failed', findings: refusals }
process.stdout.write(JSON.stringify([...pageChecks, rules]))
