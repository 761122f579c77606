import { afterAll, expect, inject, test } from 'vitest'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { SeenClients } from './seen-clients.ts'

const instance = await createViewsTestInstance(inject('services'), 'seen readers')
afterAll(() => instance.drop())

test('many who look at once are one look', async () => {
  let asked = 0
  const db = instance.db.withPlugin({
    transformQuery({ node }) {
      asked++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const readers = new SeenClients(instance.clickhouse, db)
  const projectId = await instance.newProject('Docs')
  for (const seen of await Promise.all(Array.from({ length: 10 }, () => readers.find(projectId))))
    expect(seen).toEqual({ human: false, ai: false })
  expect(asked).toBe(1)
  await readers.find(await instance.newProject('Others'))
  expect(asked, 'another project is another look').toBe(2)
})
