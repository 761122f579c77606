import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configurationFile, writeTables } from './configuration.ts'

const committed = readFileSync(configurationFile, 'utf8')

test('the tables of docs/configuration.md match the settings; if not, run `npm run configuration`', () => {
  expect(committed).toBe(writeTables(committed))
})

test('every table has its place, once', () => {
  expect(() => writeTables(committed.replace('<!-- settings: jobs -->', ''))).toThrow('has tables for')
  expect(() => writeTables(committed.replace('settings: jobs', 'settings: budget'))).toThrow('has tables for')
})
