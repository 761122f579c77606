/** Runs in the sandbox: checks the pages that changed since a commit, and prints the results as JSON. */
import { checkChangedPages, PageChecker } from './findings.ts'
import { changedPages, commitTree, workTree } from './trees.ts'

const baseCommit = process.argv[2] ?? ''
const before = new PageChecker(commitTree(baseCommit))
const now = new PageChecker(workTree())
process.stdout.write(JSON.stringify(await checkChangedPages(changedPages(baseCommit), before, now)))
