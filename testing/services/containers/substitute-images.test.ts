import { expect, test } from 'vitest'
import type { ContainerRuntime } from './container-runtime.ts'
import { baseImages, ensureBaseImages } from './substitute-images.ts'

/** A runtime that has only the given images, and cannot pull others. Its commands are recorded by their first word. */
function runtimeWithoutRegistry({ isOwn, labels }: { isOwn: boolean; labels: Readonly<Record<string, string>> }) {
  const commands: string[] = []
  const runtime: ContainerRuntime = {
    env: {},
    isOwn,
    async docker(args) {
      const image = args.at(-1) ?? ''
      if (args[0] === 'image') {
        const label = labels[image]
        if (label === undefined) throw new Error('No such image')
        return `${label}\n`
      }
      commands.push(args[0] ?? '')
      if (args[0] === 'pull') throw new Error('toomanyrequests: you have reached your pull rate limit')
      return ''
    },
    stop: async () => {},
  }
  return { runtime, commands }
}

const log = () => {}

test('makes no substitute in a runtime that others use', async () => {
  const { runtime, commands } = runtimeWithoutRegistry({ isOwn: false, labels: {} })
  const error = await ensureBaseImages(runtime, ['postgres', 'caddy'], log).catch((thrown: Error) => thrown)
  expect((error as Error).message).toMatch(
    /^postgres:17\S* is missing, and cannot be pulled\..*docker login.*rate limit/s,
  )
  expect(commands).toEqual(['pull'])
})

test('uses what a runtime has, also the substitutes of the process that started it', async () => {
  const labels = { [baseImages.postgres]: 'true', [baseImages.caddy]: '' }
  const { runtime, commands } = runtimeWithoutRegistry({ isOwn: false, labels })
  expect(await ensureBaseImages(runtime, ['postgres', 'caddy'], log)).toEqual(['postgres'])
  expect(commands).toEqual([])
})

test('makes substitutes in a runtime of its own, after one attempt to pull', async () => {
  const { runtime, commands } = runtimeWithoutRegistry({ isOwn: true, labels: {} })
  expect(await ensureBaseImages(runtime, ['postgres', 'caddy'], log)).toEqual(['postgres', 'caddy'])
  expect(commands).toEqual(['pull', 'build', 'build'])
})
