import { afterAll, expect, inject, test } from 'vitest'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { ObservedTrafficFinder } from './observed-traffic-finder.ts'

const instance = await createViewsTestInstance(inject('services'), 'observed traffic')
afterAll(() => instance.drop())

test('answers concurrent calls for a project with one query', async () => {
  let queries = 0
  const db = instance.db.withPlugin({
    transformQuery({ node }) {
      queries++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const observedTraffic = new ObservedTrafficFinder(instance.clickhouse, db)
  const projectId = await instance.newProject('Docs')
  for (const traffic of await Promise.all(Array.from({ length: 10 }, () => observedTraffic.find(projectId))))
    expect(traffic).toEqual({ human: false, ai: false })
  expect(queries).toBe(1)
  await observedTraffic.find(await instance.newProject('Other docs'))
  expect(queries, 'another project needs another query').toBe(2)
})
