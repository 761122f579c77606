/** A new user of the dashboard, who finds elements only by what the pages show. */
import type { Locator, Page } from 'playwright-core'

const timeoutMs = 60_000

export class Newcomer {
  readonly page: Page
  readonly origin: string

  constructor(page: Page, origin: string) {
    this.page = page
    this.origin = origin
    page.setDefaultTimeout(timeoutMs)
  }

  async open(address: string): Promise<void> {
    await this.page.goto(address.startsWith('/') ? this.origin + address : address)
  }

  async fill(label: string, text: string): Promise<void> {
    await this.page.getByRole('textbox', { name: label }).or(this.#secret(label)).first().fill(text)
  }

  /** A password field has no ARIA role to find it by. */
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

  /** A radio button. */
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

  /** Reloads the page until it shows the text. */
  async reloadUntil(text: string): Promise<void> {
    const shown = this.page.getByText(text).first()
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await this.page.reload()) {
      const isShown = await shown.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      )
      if (isShown) return
    }
    throw new Error(`${this.page.url()} does not show "${text}" within 60 s`)
  }

  /** The text of a code block with a copy button. */
  async copied(label: string): Promise<string> {
    return (await this.page.getByRole('region', { name: label }).locator('pre').textContent())?.trim() ?? ''
  }

  /** Waits until a step of the checklist is done. */
  async seeDone(step: string): Promise<void> {
    const control = this.page.getByRole('button', { name: new RegExp(`^${step}.*\\bdone$`) })
    await control.waitFor()
  }

  async openStep(step: string): Promise<void> {
    const control = this.page.getByRole('button', { name: new RegExp(`^${step}.*\\b(to do|done)$`) })
    if ((await control.getAttribute('aria-expanded')) !== 'true') await control.click()
  }
}
