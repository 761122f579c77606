import { afterAll, expect, inject, test } from 'vitest'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { SourceNotes } from './source-notes.ts'

const instance = await createViewsTestInstance(inject('services'), 'source notes')
afterAll(() => instance.drop())

test('whoever settles while another does waits until it is written', async () => {
  const notes = new SourceNotes(instance.db, instance.log)
  const projectId = await instance.newProject('Docs')
  notes.note({ projectId, source: 'servers', counted: 3, dropped: {}, examples: [] })
  const first = notes.settle()
  await notes.settle()
  const { rows } = await instance.pool.query('SELECT events::int FROM source_event_count WHERE project_id = $1', [
    projectId,
  ])
  expect(rows).toEqual([{ events: 3 }])
  await first
})
