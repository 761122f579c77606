import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { releasedComposeFile } from './released-compose-file.ts'

const images = { server: 'ghcr.io/example/colophon/server:0.2.0', runner: 'ghcr.io/example/colophon/runner:0.2.0' }

test('deploy/compose.yml gets the released images, which can be pulled', () => {
  const compose = readFileSync(join(import.meta.dirname, '../deploy/compose.yml'), 'utf8')
  const released = releasedComposeFile(compose, images)
  const names = [...released.matchAll(/^\s*image: (\S+)/gm)].map((match) => match[1])
  expect(names).toContain(images.server)
  expect(names.filter((name) => name?.endsWith(':local'))).toEqual([])
  expect(released).not.toContain('pull_policy: never')
  expect(released).not.toContain('docker build')
})

test('server and runner have different images', () => {
  expect(
    releasedComposeFile(
      'api:\n  image: colophon-server:local # built\nrunner:\n  image: colophon-runner:local\n',
      images,
    ),
  ).toBe(`api:\n  image: ${images.server} # built\nrunner:\n  image: ${images.runner}\n`)
})

test('fails if the name of the image is not found', () => {
  expect(() => releasedComposeFile('image: postgres:17\n', images)).toThrow('does not name the image')
})
