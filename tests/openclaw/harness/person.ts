// Somebody at a client of the gateway that shows what the host asks people, as its Control UI does. While they are there, a question has a place
// to go to; whether and what they answer is the test's.

import type { GatewayClient } from "openclaw/plugin-sdk/gateway-runtime";
import { sessionKey, until, type World } from "./world.ts";

/** What the host asks people about a tool call, as far as tests look at it. */
export interface Question {
  id: string;
  createdAtMs: number;
  expiresAtMs: number;
  request: {
    pluginId: string;
    title: string;
    description: string;
    toolName: string;
    sessionKey: string;
    allowedDecisions: string[];
  };
}

export class Person {
  readonly #client: GatewayClient;

  private constructor(client: GatewayClient) {
    this.#client = client;
  }

  static async at(world: World): Promise<Person> {
    return new Person(await world.gateway.connect(["operator.admin"], ["plugin-approvals"]));
  }

  /** Waits until the host asks about a call of this session. */
  async isAsked(session: string): Promise<Question> {
    return await until(`a question about ${session}`, async () => {
      const open = await this.#client.request<Question[]>("plugin.approval.list", {});
      return open.find((question) => question.request.sessionKey === sessionKey(session));
    });
  }

  async answers({ id }: Question, decision: "allow-once" | "deny"): Promise<void> {
    await this.#client.request("plugin.approval.resolve", { id, decision });
  }

  leaves(): void {
    this.#client.stop();
  }
}
