/** The steps of onboarding that differ between code hosts: connecting a repository, and reviewing a pull request. */
import type { ProofRun } from '../proof.ts'
import type { FreshInstance } from './fresh-instance.ts'
import type { Newcomer } from './newcomer.ts'
import type { PageToCheck } from './onboarding-page-checker.ts'

export interface OnboardingContext {
  run: ProofRun
  colophon: FreshInstance
  newcomer: Newcomer
  projectPath: string
  capture(pages: readonly PageToCheck[]): Promise<void>
}

export interface HostSteps {
  hostName: string
  url: string
  /** Starts on the page that connects a repository, and ends when it is connected. */
  connect(context: OnboardingContext): Promise<void>
  /** Starts on the checklist with an open pull request, and ends when it is merged. */
  reviewAndMerge(context: OnboardingContext, number: number): Promise<void>
  isMerged(number: number): Promise<boolean>
  /** Reads from the base branch. */
  readPage(path: string): Promise<string>
  /** Captures the pages that are specific to this host. */
  captureHostPages(context: OnboardingContext): Promise<void>
}

export type CreateHostSteps = (run: ProofRun, colophon: FreshInstance) => Promise<HostSteps>
