/** Somebody new at the dashboard: finds things by what the pages show, and nothing else. */
import type { Locator, Page } from 'playwright-core'

const patienceMs = 60_000

export class Newcomer {
  readonly page: Page
  readonly origin: string

  constructor(page: Page, origin: string) {
    this.page = page
    this.origin = origin
    page.setDefaultTimeout(patienceMs)
  }

  async open(address: string): Promise<void> {
    await this.page.goto(address.startsWith('/') ? this.origin + address : address)
  }

  async fill(label: string, text: string): Promise<void> {
    await this.page.getByRole('textbox', { name: label }).or(this.#secret(label)).first().fill(text)
  }

  /** A field for something secret has no role that one could find it by. */
  #secret(label: string): Locator {
    return this.page.locator('input[type="password"]').and(this.page.getByLabel(label))
  }

  async press(button: string): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: true }).first().click()
  }

  async follow(link: string): Promise<void> {
    await this.page.getByRole('link', { name: link, exact: true }).first().click()
  }

  async choose(field: string, option: string): Promise<void> {
    await this.page.getByRole('combobox', { name: field }).click()
    await this.page.getByRole('option', { name: option, exact: true }).click()
  }

  /** One of a few that all stand there. */
  async pick(option: string): Promise<void> {
    await this.page.getByRole('radiogroup').getByText(option, { exact: true }).click()
  }

  async tick(label: string): Promise<void> {
    await this.page.getByRole('checkbox', { name: label }).check()
  }

  async see(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor()
  }

  async seeHeading(name: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { name }).first().waitFor()
  }

  /** As somebody does who cannot wait. */
  async reloadUntil(text: string): Promise<void> {
    const shown = this.page.getByText(text).first()
    for (const until = Date.now() + patienceMs; Date.now() < until; await this.page.reload()) {
      const isThere = await shown.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      )
      if (isThere) return
    }
    throw new Error(`${this.page.url()} does not come to show: ${text}`)
  }

  /** What stands in a box that is meant to be copied. */
  async copied(label: string): Promise<string> {
    return (await this.page.getByRole('region', { name: label }).locator('pre').textContent())?.trim() ?? ''
  }

  /** Until a step of the checklist is ticked. */
  async seeDone(step: string): Promise<void> {
    const control = this.page.getByRole('button', { name: new RegExp(`^${step}.*\\bdone$`) })
    await control.waitFor()
  }

  async openStep(step: string): Promise<void> {
    const control = this.page.getByRole('button', { name: new RegExp(`^${step}.*\\b(to do|done)$`) })
    if ((await control.getAttribute('aria-expanded')) !== 'true') await control.click()
  }
}
