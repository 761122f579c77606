import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { npmNames } from '../sdk/npm-names.ts'

interface Step {
  name?: string
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

/** An npm package with nothing but its name. */
function packWithName(name: string): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-package-test-'))
  mkdirSync(join(directory, 'package'))
  writeFileSync(join(directory, 'package/package.json'), JSON.stringify({ name, version: '0.2.0' }, null, 2))
  const packed = execFileSync('tar', ['--create', '--gzip', 'package'], { cwd: directory })
  rmSync(directory, { recursive: true })
  return packed
}

describe('an attempt after a failure', () => {
  /** Runs a step of `publish` for v0.2.0, with shell functions instead of npm and gh. Returns the calls that change something. */
  function runStep(nameStart: string, functions: string): string[] {
    const directory = mkdtempSync(join(tmpdir(), 'colophon-publish-test-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    mkdirSync(join(directory, 'dist/release'), { recursive: true })
    for (const name of ['sdk', 'cli'])
      writeFileSync(join(directory, `dist/release/colophon-${name}-0.2.0.tgz`), packages[name as 'sdk' | 'cli'])
    const step = jobs.publish?.steps.find(({ name }) => name?.startsWith(nameStart))
    const script = `${functions}\n${step?.run}`
    const env = { PATH: process.env.PATH, GITHUB_REF_NAME: 'v0.2.0' }
    const output = execFileSync('bash', ['--norc', '-e', '-c', script], { cwd: directory, env, encoding: 'utf8' })
    return output.split('\n').filter((line) => line.startsWith('call: '))
  }

  const packages = { sdk: packWithName(npmNames.sdk), cli: packWithName(npmNames.cli) }
  const integrityOf = (content: string | Buffer) => `sha512-${createHash('sha512').update(content).digest('base64')}`
  const npm = (view: string) => `npm() { if [ "$1" = view ]; then ${view}; else echo "call: npm $1 $2"; fi; }`
  const publishSdk = 'call: npm publish ./dist/release/colophon-sdk-0.2.0.tgz'
  const publishCli = 'call: npm publish ./dist/release/colophon-cli-0.2.0.tgz'

  test('publishes only the packages that are missing on npm', () => {
    expect(runStep('Publish to npm', npm('return 1'))).toEqual([publishSdk, publishCli])
    const hasSdk = `case $2 in ${npmNames.sdk}@0.2.0) echo ${integrityOf(packages.sdk)} ;; *) return 1 ;; esac`
    expect(runStep('Publish to npm', npm(hasSdk))).toEqual([publishCli])
  })

  test('does not take a package with other contents for its own, so that npm refuses it', () => {
    expect(runStep('Publish to npm', npm(`echo ${integrityOf('other')}`))).toEqual([publishSdk, publishCli])
  })

  test('creates the release once, and publishes it when all files are there', () => {
    const gh = (view: string) => `gh() { if [ "$2" = view ]; then ${view}; else echo "call: gh $1 $2 $3 $4"; fi; }`
    const finish = ['call: gh release upload v0.2.0 --clobber', 'call: gh release edit v0.2.0 --draft=false']
    expect(runStep('Create the GitHub release', gh('return 1'))).toEqual([
      'call: gh release create v0.2.0 --draft',
      ...finish,
    ])
    expect(runStep('Create the GitHub release', gh('return 0'))).toEqual(finish)
  })
})
