import { execSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { formatChecksums, sha256OfFile } from './checksums.ts'
import { type Build, provenanceStatement } from './provenance.ts'

const directory = mkdtempSync(join(tmpdir(), 'colophon-release-test-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

test('the checksums are those that sha256sum accepts', async () => {
  const artifacts = []
  for (const [name, content] of [
    ['a.txt', 'text'],
    ['empty', ''],
  ] as const) {
    writeFileSync(join(directory, name), content)
    artifacts.push({ name, sizeBytes: content.length, sha256: await sha256OfFile(join(directory, name)) })
  }
  expect(artifacts[1]?.sha256).toBe(emptySha256)
  writeFileSync(join(directory, 'SHA256SUMS'), formatChecksums(artifacts))
  const command = process.platform === 'darwin' ? 'shasum -a 256' : 'sha256sum'
  expect(execSync(`${command} --check SHA256SUMS`, { cwd: directory, encoding: 'utf8' })).toBe('a.txt: OK\nempty: OK\n')
})

const artifacts = [{ name: 'colophon-sdk-0.2.0.tgz', sizeBytes: 0, sha256: emptySha256 }]
const build: Build = {
  version: '0.2.0',
  repository: 'example/colophon',
  commit: 'f'.repeat(40),
  lockfileSha256: emptySha256,
  workflow: {
    ref: 'example/colophon/.github/workflows/release.yml@refs/tags/v0.2.0',
    runUrl: 'https://github.com/example/colophon/actions/runs/1/attempts/1',
  },
  startedAt: new Date('2026-12-01T10:00:00Z'),
  finishedAt: new Date('2026-12-01T10:05:00Z'),
}

test('the provenance names artifacts, source, packages and builder', () => {
  expect(provenanceStatement(artifacts, build)).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'colophon-sdk-0.2.0.tgz', digest: { sha256: emptySha256 } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `https://github.com/example/colophon/blob/${'f'.repeat(40)}/release/release.ts`,
        externalParameters: { version: '0.2.0', source: 'git+https://github.com/example/colophon@refs/tags/v0.2.0' },
        resolvedDependencies: [
          { uri: 'git+https://github.com/example/colophon', digest: { gitCommit: 'f'.repeat(40) } },
          {
            name: 'package-lock.json',
            uri: 'git+https://github.com/example/colophon#package-lock.json',
            digest: { sha256: emptySha256 },
          },
        ],
      },
      runDetails: {
        builder: { id: 'https://github.com/example/colophon/.github/workflows/release.yml@refs/tags/v0.2.0' },
        metadata: {
          invocationId: 'https://github.com/example/colophon/actions/runs/1/attempts/1',
          startedOn: '2026-12-01T10:00:00.000Z',
          finishedOn: '2026-12-01T10:05:00.000Z',
        },
      },
    },
  })
})

test('a build on a machine of its own does not claim to be from a workflow', () => {
  const { runDetails } = provenanceStatement(artifacts, { ...build, workflow: undefined }).predicate
  expect(runDetails.builder.id).toBe('urn:colophon:local-build')
  expect(runDetails.metadata).not.toHaveProperty('invocationId')
})
