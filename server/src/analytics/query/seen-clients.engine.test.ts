import { afterAll, expect, inject, test } from 'vitest'
import { createViewsScope } from '../testing/views-scope.ts'
import { SeenClients } from './seen-clients.ts'

const scope = await createViewsScope(inject('engines'), 'seen readers')
afterAll(() => scope.drop())

test('many who look at once are one look', async () => {
  let asked = 0
  const db = scope.db.withPlugin({
    transformQuery({ node }) {
      asked++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const readers = new SeenClients(scope.clickhouse, db)
  const projectId = await scope.newProject('Docs')
  for (const seen of await Promise.all(Array.from({ length: 10 }, () => readers.find(projectId))))
    expect(seen).toEqual({ human: false, ai: false })
  expect(asked).toBe(1)
  await readers.find(await scope.newProject('Others'))
  expect(asked, 'another project is another look').toBe(2)
})
