/** Runs in the sandbox: checks the pages that changed since a commit, and prints the results as JSON. */

import { listChangedPages, openCommitTree, openWorkTree } from './file-tree.ts'
import { checkChangedPages, PageChecker } from './findings.ts'

const baseCommit = process.argv[2] ?? ''
const before = new PageChecker(openCommitTree(baseCommit))
const now = new PageChecker(openWorkTree())
process.stdout.write(JSON.stringify(await checkChangedPages(listChangedPages(baseCommit), before, now)))
