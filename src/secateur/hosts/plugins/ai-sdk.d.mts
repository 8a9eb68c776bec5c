import type { LanguageModelMiddleware, ToolSet } from "ai";

export interface SecateurSettings {
  /** Name of the conversation; without one, it is known by its first message. */
  session?: string;
  /** The model's context, in tokens; without one, that of the model's name. */
  window?: number;
}

export declare function secateur(settings?: SecateurSettings): LanguageModelMiddleware & { tools: ToolSet };
