/** `colophon-server admin project …` as it is typed, on PostgreSQL. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../dev-services/test-instance.ts'

const instance = await createTestInstance(inject('services'), 'admin-projects')
afterAll(() => instance.drop())
const { projects } = instance.stores
const { id } = await projects.create('Docs', { kind: 'operator' })

function admin(args: string[], input = '') {
  const program = join(import.meta.dirname, 'colophon-server.ts')
  const env = { PATH: process.env.PATH, ...instance.environment }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'admin', 'project', ...args], {
    env,
    input,
    encoding: 'utf8',
  })
  return { status, stdout, said: stderr }
}

test('a project is paused, shown as such, and resumed', async () => {
  expect(admin(['pause', '--project', id])).toMatchObject({ status: 0, said: expect.stringContaining('is paused') })
  expect(admin(['list']).stdout).toMatch(new RegExp(`^${id} {2}\\S+ {2}Docs {2}paused \\S+Z\n$`))
  expect((await projects.get(id)).pausedAt).toBeInstanceOf(Date)
  expect(admin(['resume', '--project', id])).toMatchObject({ status: 0, said: 'Its jobs go on.\n' })
  expect((await projects.get(id)).pausedAt).toBeNull()
  const missing = `${id.slice(0, -4)}0000`
  expect(admin(['pause', '--project', missing])).toMatchObject({ status: 1, said: expect.stringContaining('no such') })
})

test("the agent's instructions are kept as they are given, and taken back", async () => {
  const instructions = 'Write “you”.\n\n- Short sentences.'
  expect(admin(['instructions', '--project', id], `${instructions}\n`).status).toBe(0)
  expect(await projects.readInstructions(id)).toBe(instructions)
  expect(admin(['instructions', '--project', id], 'x'.repeat(20_001)).status).toBe(2)
  expect(await projects.readInstructions(id)).toBe(instructions)
  expect(admin(['instructions', '--project', id], '\n').status).toBe(0)
  expect(await projects.readInstructions(id)).toBeNull()
})
