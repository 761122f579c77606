/** Puts a test instance into the state between the upgrade from 0.1.0 and `colophon-server upgrade --finish`, and out of it. */
import type { TestInstance } from './test-instance.ts'

const setOldestVersion = ({ pool }: Pick<TestInstance, 'pool'>, version: string) =>
  pool.query('UPDATE instance_upgrade SET oldest_version = $1', [version])

export const allowOlderVersion = (instance: Pick<TestInstance, 'pool'>) => setOldestVersion(instance, '0.1.0')
export const finishUpgrade = (instance: Pick<TestInstance, 'pool'>) => setOldestVersion(instance, '0.2.0')
