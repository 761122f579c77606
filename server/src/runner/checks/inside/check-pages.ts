/** Run in the box: checks the pages that changed since a commit, and prints what it found, as JSON. */
import { type CheckName, checkNames, newFindings, PageReader } from './findings.ts'
import { changedPages, commitTree, workTree } from './trees.ts'

const maxPages = 500

const baseCommit = process.argv[2] ?? ''
const before = new PageReader(commitTree(baseCommit))
const now = new PageReader(workTree())
const findings = new Map<CheckName, string[]>(checkNames.map((name) => [name, []]))
for (const path of changedPages(baseCommit).slice(0, maxPages))
  for (const { check, text, line } of await newFindings(path, before, now))
    findings.get(check)?.push(`${path}${line === undefined ? '' : `:${line}`}: ${text}`)

process.stdout.write(JSON.stringify([...findings].map(([name, found]) => ({ name, findings: found }))))
