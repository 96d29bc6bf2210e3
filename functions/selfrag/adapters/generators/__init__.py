"""The fine-tuned model on a vLLM server; loaded where a setting names one."""
