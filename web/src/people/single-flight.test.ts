import { expect, test } from 'vitest'
import { singleFlight } from './single-flight.ts'

test('concurrent calls share one result, a later call starts again', async () => {
  const resolvers: ((result: boolean) => void)[] = []
  const call = singleFlight(() => new Promise<boolean>((resolve) => resolvers.push(resolve)))
  const both = [call(), call()]
  expect(resolvers).toHaveLength(1)
  resolvers[0]?.(true)
  expect(await Promise.all(both)).toEqual([true, true])
  void call()
  expect(resolvers).toHaveLength(2)
})
