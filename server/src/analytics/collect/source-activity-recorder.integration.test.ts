import { afterAll, expect, inject, test } from 'vitest'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { SourceActivityRecorder } from './source-activity-recorder.ts'

const instance = await createViewsTestInstance(inject('services'), 'source activity')
afterAll(() => instance.drop())

test('waits for a write in progress when it is flushed a second time', async () => {
  const notes = new SourceActivityRecorder(instance.db, instance.log)
  const projectId = await instance.newProject('Docs')
  notes.record({ projectId, source: 'servers', counted: 3, dropped: {}, examples: [] })
  const first = notes.flush()
  await notes.flush()
  const { rows } = await instance.pool.query('SELECT events::int FROM source_event_count WHERE project_id = $1', [
    projectId,
  ])
  expect(rows).toEqual([{ events: 3 }])
  await first
})

test('writes the events of a few projects every few seconds, again and again', { timeout: 20_000 }, async () => {
  const recorder = new SourceActivityRecorder(instance.db, instance.log)
  const projectId = await instance.newProject('Active docs')
  const readEvents = async () => {
    const { rows } = await instance.pool.query<{ events: number }>(
      'SELECT events::int FROM source_event_count WHERE project_id = $1',
      [projectId],
    )
    return rows[0]?.events
  }
  for (const events of [1, 2, 3]) {
    recorder.record({ projectId, source: 'servers', counted: 1, dropped: {}, examples: [] })
    await expect.poll(readEvents, { timeout: 6_000 }).toBe(events)
  }
})
