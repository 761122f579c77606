/** What differs between code hosts for somebody new: the way to a connected repository, and what happens on a pull request. */
import type { ProofRun } from '../../proof.ts'
import type { EmptyService } from './empty-service.ts'
import type { Newcomer } from './newcomer.ts'
import type { Stop } from './tour.ts'

export interface Scene {
  run: ProofRun
  service: EmptyService
  newcomer: Newcomer
  projectPath: string
  look(stops: readonly Stop[]): Promise<void>
}

export interface WayIn {
  hostName: string
  url: string
  /** From the page that connects a repository until it is connected. */
  connect(scene: Scene): Promise<void>
  /** From the checklist, with an open pull request, until it is merged. */
  reviewAndMerge(scene: Scene, number: number): Promise<void>
  isMerged(number: number): Promise<boolean>
  /** On the base branch. */
  readPage(path: string): Promise<string>
  /** At pages that are what they are only with this host. */
  lookAround(scene: Scene): Promise<void>
}

export type FindWayIn = (run: ProofRun, service: EmptyService) => Promise<WayIn>
