"""Accountants exactly as printed in a paper, whatever they prove. One file per paper; none may calibrate noise."""
