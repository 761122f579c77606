import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

interface Step {
  uses?: string
  run?: string
  env?: Record<string, string>
}

interface Job {
  needs?: string | string[]
  environment?: string
  permissions: Record<string, string>
  env?: Record<string, string>
  steps: Step[]
}

const workflow = readFileSync(join(import.meta.dirname, '../.github/workflows/release.yml'), 'utf8')
const { permissions, jobs } = parse(workflow) as { permissions: object; jobs: Record<string, Job> }

const canWrite = (job: Job) => Object.values(job.permissions).includes('write')

/** The job and all jobs that must have succeeded before it. */
function findJobsUpTo(name: string): string[] {
  const needs = [jobs[name]?.needs ?? []].flat()
  return [name, ...needs.flatMap(findJobsUpTo)]
}

test('nothing happens before the tag is checked', () => {
  for (const name of Object.keys(jobs)) expect(findJobsUpTo(name), name).toContain('check')
})

test('a job gets only the permissions that it lists, and needs an approval to write', () => {
  expect(permissions).toEqual({})
  for (const [name, job] of Object.entries(jobs))
    expect(job.environment, name).toBe(canWrite(job) ? 'release' : undefined)
})

test('a job that can write runs no code of packages, which could use its credentials', () => {
  for (const [name, { steps }] of Object.entries(jobs).filter(([, job]) => canWrite(job)))
    for (const { run } of steps) expect(run ?? '', name).not.toMatch(/\bnpm (ci|install|run|exec)\b|\bnpx\b|\bnode\b/)
})

test('the job that publishes has nothing but the built files, and only gh gets the token', () => {
  const { env, steps } = jobs.publish ?? {}
  expect(env).toBeUndefined()
  expect(steps?.filter(({ uses }) => uses?.startsWith('actions/checkout@'))).toEqual([])
  const withToken = steps?.filter((step) => Object.values(step.env ?? {}).some((value) => value.includes('token')))
  expect(withToken?.map(({ run }) => run)).toEqual([expect.stringContaining('gh release create')])
})
