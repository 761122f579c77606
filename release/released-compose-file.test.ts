import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { releasedComposeFile } from './released-compose-file.ts'

const source = { prefix: 'ghcr.io/example/colophon', version: '0.2.0', digests: undefined }

test.each(['compose.yml', 'compose.tls.yml', 'compose.backup.yml', 'compose.demo.yml'])(
  '%s gets the released images',
  (name) => {
    const compose = readFileSync(join(import.meta.dirname, '../deploy', name), 'utf8')
    const released = releasedComposeFile(compose, source)
    const images = [...released.matchAll(/^\s*image: (.+)$/gm)].map((match) => match[1] ?? '')
    const own = images.filter((image) => image.includes('COLOPHON_VERSION'))
    for (const image of own)
      expect(image).toMatch(/\{COLOPHON_\w+_IMAGE:-ghcr\.io\/example\/colophon\/\w+\}:\$\{COLOPHON_VERSION:-0\.2\.0\}$/)
    expect(own.length).toBe(
      {
        'compose.yml': 2,
        'compose.tls.yml': 0,
        'compose.backup.yml': 1,
        'compose.demo.yml': 1,
      }[name],
    )
    expect(released).not.toContain('build:')
  },
)

test.each([
  ['server', 'sha256:aa'],
  ['runner', 'sha256:bb'],
  ['demo', 'sha256:cc'],
])('the default version of %s has its digest, and another version has none', (name, digest) => {
  const digests = { server: 'sha256:aa', runner: 'sha256:bb', demo: 'sha256:cc' }
  const image = `image: \${COLOPHON_X_IMAGE:-colophon-${name}}:\${COLOPHON_VERSION:-local}`
  expect(releasedComposeFile(image, { ...source, digests })).toBe(
    `image: \${COLOPHON_X_IMAGE:-ghcr.io/example/colophon/${name}}:\${COLOPHON_VERSION:-0.2.0@${digest}}`,
  )
})

test('fails if the name of an image is not replaced', () => {
  expect(() => releasedComposeFile('image: colophon-server:local\n', source)).toThrow(
    'in a way that a release does not',
  )
})
