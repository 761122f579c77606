/** The first step of .github/workflows/release.yml: fails if the pushed tag must not be released. */
import { join } from 'node:path'
import { runCommand } from '../testing/services/run-command.ts'
import { imageRegistry } from './released-images.ts'
import { findTagProblems } from './tag-problems.ts'

const directory = join(import.meta.dirname, '..')

function readVariable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: this script runs in GitHub Actions.`)
  return value
}

try {
  const tag = {
    name: readVariable('GITHUB_REF_NAME'),
    commit: (await runCommand(['git', 'rev-parse', 'HEAD'], { cwd: directory })).trim(),
    repository: readVariable('GITHUB_REPOSITORY'),
  }
  const problems = await findTagProblems(tag, {
    directory,
    githubApiUrl: readVariable('GITHUB_API_URL'),
    registryUrl: `https://${imageRegistry}`,
    user: readVariable('GITHUB_ACTOR'),
    token: readVariable('GH_TOKEN'),
  })
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
